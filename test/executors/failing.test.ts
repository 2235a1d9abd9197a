import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { kindsOf } from '../../src/actions/account-kinds.ts'
import { actionText } from '../../src/cli/action-text.ts'
import { closingLine } from '../../src/consent/outcome.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { actionTimeline } from '../../src/operations/audit/action-timeline.ts'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { waitToShow } from '../../src/operations/actions/wait-for-execution.ts'
import { diagnose } from '../../src/operations/maintenance/diagnose.ts'
import { callOf } from '../../src/operations/actions/action-view.ts'
import { listFailingOf, notifyOfFailing } from '../../src/operations/maintenance/failing-calls.ts'
import { decideBy, linksTo } from '../support/consent.ts'
import { signedInAdmin } from '../support/console.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'
import { type Desk, type ExecutorScene, executorScene, kindNames } from './scene.ts'
import { answerJson } from './stand-in.ts'

let scene: ExecutorScene
beforeAll(async () => {
  scene = await executorScene({ env: { TRUST_PROXY: 'true' } })
}, 60_000)
afterAll(() => scene.stop())

let desk: Desk
beforeEach(async () => {
  answers(500)
  desk = await scene.customerDesk()
  scene.gate.config.CONFIRM_WAIT_MS = 0
})

const answers = (status: number) => scene.answers((_request, response) => answerJson(response, status, {}))
const accountOf = () => ({ db: scene.gate.database.db, account: desk.account.account, session: null })
const timelineOf = (id: number) => {
  const db = scene.gate.database.db
  return actionTimeline({ db, kinds: kindsOf(db), config: scene.gate.config }, desk.account.account, id)
}
/** Attempts that came to the same, until there were so many. */
async function attempted(id: number, code: string, times: number) {
  for (let n = 1; n <= times; n++) {
    if (n > 1) await desk.pass(id, 1)
    await desk.recorded(id, { attempts: n, code, state: 'pending' })
  }
}

test('a dead executor is seen wherever the action is: attempts, last error, next try, until when', async () => {
  const id = await desk.start()
  await attempted(id, 'http_500', 3)
  const { body } = await desk.account.client.get(id)
  const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(body).toMatchObject({
    status: 'proposed',
    execution: {
      state: 'running',
      attempts: 3,
      last_error: 'http_500',
      failing_since: iso,
      next_attempt_at: iso,
      repeated_until: iso,
    },
  })
  const [call] = await scene.gate.database.asSuperuser(
    `select first_at + interval '24 hours' as until, due_at from gate.executor_call where account_id = '${desk.account.account}'`,
  )
  expect([body.execution.repeated_until, body.execution.next_attempt_at]).toEqual(
    [call!['until'], call!['due_at']].map((at) => (at as Date).toISOString()),
  )
  const listed = (await desk.account.client.list()).body.actions.find((one: { id: number }) => one.id === id)
  expect(listed.execution).toEqual(body.execution)
  const shown = actionText(await timelineOf(id), '')
  expect(shown).toContain('http_500')
  expect(shown).toMatch(/ call +- +Attempt 1 failed \(http_500\)\. It is repeated/)
  const admin = await signedInAdmin(scene.gate, desk.account.account)
  for (const path of [`/console/proposals/${id}`, `/console/ledger/${id}`])
    expect((await admin.open(path)).text).toMatch(
      /Attempt 3 failed \(http_500\)\. Failing since .* Next attempt: .* Repeated until /,
    )
  expect((await admin.open('/console')).text).toMatch(
    /Calls of customer_deletion fail since .* \(http_500\)\. 1 running action waits/,
  )
})

test('the timeline has one entry for each change, not for each attempt', async () => {
  const id = await desk.start()
  await attempted(id, 'http_500', 3)
  answers(502)
  await desk.pass(id, 1)
  await desk.recorded(id, { attempts: 4, code: 'http_502' })
  scene.answers(
    (_request, response) =>
      void response.writeHead(202, { location: '/calls/1', 'retry-after': '3600' }).end('{}'),
  )
  await desk.pass(id, 1)
  await desk.recorded(id, { attempts: 5, state: 'accepted' })
  expect(await listFailingOf(accountOf())).toEqual([])
  expect((await desk.account.client.get(id)).body.execution).not.toHaveProperty('last_error')
  answers(200)
  await desk.pass(id, 1)
  expect((await desk.ended(id)).status).toBe('executed')
  const { callChanges } = await timelineOf(id)
  expect(callChanges.map(({ state, code, attempts }) => [state, code, attempts])).toEqual([
    ['pending', 'http_500', 1],
    ['pending', 'http_502', 4],
    ['accepted', null, 5],
  ])
})

test('an action that is done at once has no such entry', async () => {
  answers(200)
  const id = await desk.start()
  await desk.ended(id)
  expect((await timelineOf(id)).callChanges).toEqual([])
})

test('doctor says what fails since when, and the administrators get one mail', async () => {
  const { account } = desk.account
  await inviteAdmin(accountOf(), 'ops@example.com')
  const ids = [await desk.start(), await desk.start(), await desk.start(kindNames.asked)]
  for (const id of ids) await desk.recorded(id, { code: 'http_500', state: 'pending' })
  const failing = await listFailingOf(accountOf())
  expect(failing).toMatchObject([
    { target: kindNames.asked, code: 'http_500', actions: 1 },
    { target: kindNames.plain, code: 'http_500', actions: 2 },
  ])
  const { checks, verdict } = await diagnose(scene.gate.database.db, {
    config: scene.gate.config,
    temporal: { state: 'up', address: 'x:1' },
    anchorsFile: undefined,
    credentials: { keys: undefined, sandboxUrl: undefined },
  })
  expect(verdict).toBe('attention')
  expect(checks.find(({ item }) => item === 'executors')!.detail).toContain(
    `customer_deletion of ${account} fails since ${failing[1]!.failing_since.toISOString()} (http_500), 2 actions wait`,
  )
  const mails = () => scene.gate.sandbox.messages(1_000).filter(({ to }) => to === 'ops@example.com')
  const before = mails().length
  // Too early: it may be a moment only.
  expect(await notifyOfFailing(scene.gate.deps)).toBe(0)
  const restore = shorten({ failingNoticeMs: 0 })
  try {
    const told = await Promise.all([notifyOfFailing(scene.gate.deps), notifyOfFailing(scene.gate.deps)])
    // Other tests' executors fail too.
    expect(told.toSorted((a, b) => a - b)[0]).toBe(0)
    await scene.gate.deps.background.idle()
    const texts = mails().map(({ text }) => text)
    expect(texts.slice(0, texts.length - before)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('asked_deletion fails since'),
        expect.stringContaining('customer_deletion fails since'),
      ]),
    )
    const after = mails().length
    expect(after - before).toBe(2)
    expect(await notifyOfFailing(scene.gate.deps)).toBe(0)
  } finally {
    restore()
  }
})

test('the page after an approval does not wait for an executor that is dead, and says so', async () => {
  const restore = shorten({ decideWaitMs: 600_000 })
  try {
    const id = await desk.start()
    scene.gate.config.CONFIRM_WAIT_MS = 600_000
    const row = await readAction(scene.gate.database.db, desk.account.account, id)
    const shown = await waitToShow(scene.gate.deps, row!)
    expect(shown.status).toBe('proposed')
    const call = await callOf(scene.gate.deps, shown)
    expect(closingLine(undefined, shown, 'Ada', call)).toMatch(
      /It is running, and not done yet: attempt \d+ failed \(http_500\)\. The gate repeats it until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    )
  } finally {
    restore()
  }
})

test('the link of an approval whose calls fail says so when it is opened again', async () => {
  const { body } = await desk.account.client.request('POST', '/api/v1/actions', {
    body: { kind: kindNames.plain, actor: desk.actor, payload: { customer: 'cus_1' }, ask: true },
  })
  const link = await until('the member is asked by e-mail', async () =>
    linksTo(scene.gate, desk.actor.email).at(-1),
  )
  await decideBy(link)
  await desk.recorded(body.id, { attempts: 1, code: 'http_500', state: 'pending' })
  const again = await fetch(link)
  expect([again.status, await again.text()]).toEqual([
    410,
    expect.stringMatching(
      /This was already approved\. It is running, and not done yet: attempt 1 failed \(http_500\)\. The gate repeats it until /,
    ),
  ])
})

test('a call to a provider that fails is seen too', async () => {
  const { account } = desk.account
  await scene.gate.stopWorkers()
  const id = await desk.start()
  await scene.gate.database.asSuperuser(
    `insert into gate.provider_call (account_id, action_id, step, provider, request, key, state, attempt)
     values ('${account}', ${id}, 'call', 'stripe', '{}', 'k-${id}', 'sending', 2)`,
  )
  await scene.gate.database.asSuperuser(
    `update gate.provider_call set code = 'timeout' where account_id = '${account}' and action_id = ${id}`,
  )
  await until('it is seen', async () => (await listFailingOf(accountOf())).length > 0)
  expect(await listFailingOf(accountOf())).toMatchObject([{ target: 'stripe', code: 'timeout', actions: 1 }])
  expect((await desk.account.client.get(id)).body.execution).toMatchObject({
    attempts: 2,
    last_error: 'timeout',
  })
  expect((await timelineOf(id)).callChanges).toMatchObject([
    { state: 'sending', code: 'timeout', attempts: 2 },
  ])
  await scene.gate.startWorkers()
})

import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { kindsOf } from '../../src/actions/account-kinds.ts'
import { storyText } from '../../src/cli/action-text.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { actionStory } from '../../src/operations/audit/action-story.ts'
import { proposalWorkflowId } from '../../src/temporal/names.ts'
import { type Desk, type ExecutorScene, executorScene } from '../executors/scene.ts'
import { answerJson } from '../executors/stand-in.ts'
import { billingScene } from '../support/billing.ts'
import { until } from '../support/until.ts'

const lines: Record<string, any>[] = []
const stream = new Writable({
  write(chunk, _encoding, done) {
    lines.push(JSON.parse(String(chunk)))
    done()
  },
})

let scene: ExecutorScene
let desk: Desk
beforeAll(async () => {
  scene = await executorScene({ log: pino({ level: 'info' }, stream) })
  desk = await scene.customerDesk()
}, 60_000)
afterAll(() => scene.stop())

const stepsOf = (account: string, id: number) =>
  lines.filter((line) => line['account'] === account && line['action'] === id && line['step'])

test('each step of an action has one line, by its number, its request and its workflow', async () => {
  const { client, account } = desk.account
  const fails = [500, 200]
  scene.answers((_request, response, n) =>
    answerJson(response, fails[n - 1] ?? 200, { note: 'SECRET-ANSWER' }),
  )
  const proposed = await client.request('POST', '/api/v1/actions', {
    body: { kind: 'customer_deletion', actor: desk.actor, payload: { customer: 'SECRET-PAYLOAD' } },
  })
  const { id } = proposed.body
  scene.gate.config.CONFIRM_WAIT_MS = 0
  const confirmed = await client.confirm(id, desk.actor)
  await desk.ended(id)
  await until('the outcome is logged', async () =>
    stepsOf(account, id).some(({ step }) => step === 'outcome'),
  )
  const row = (await readAction(scene.gate.database.db, account, id))!
  const workflow = proposalWorkflowId({ account, id, uuid: row.uuid })
  const steps = stepsOf(account, id)
  expect(steps.map(({ step }) => step)).toEqual([
    'proposed',
    'decided',
    'claimed',
    'attempt',
    'attempt',
    'outcome',
  ])
  for (const line of steps) expect(line).toMatchObject({ workflow, kind: 'customer_deletion' })
  expect(steps[0]).toMatchObject({ status: 'proposed', request_id: proposed.headers.get('x-request-id') })
  expect(steps[1]).toMatchObject({
    decision: 'confirm',
    strength: 'agent_attested',
    request_id: confirmed.headers.get('x-request-id'),
  })
  expect(steps.slice(3, 5)).toMatchObject([
    { attempt: 1, state: 'pending', code: 'http_500' },
    { attempt: 2, state: 'ok' },
  ])
  expect(steps[5]).toMatchObject({ status: 'executed', outcome: 'done' })
  const text = JSON.stringify(lines)
  for (const secret of ['SECRET-PAYLOAD', 'SECRET-ANSWER', 'ada@example.com', desk.account.key])
    expect([secret, text.includes(secret)]).toEqual([secret, false])
})

test('other ends have their lines too: a denial, a cancel, a call to a provider, messages', async () => {
  const money = await billingScene(scene.gate)
  const denied = await money.tool('send_payout', { amount_cents: 100 }, money.reader)
  expect(stepsOf(money.account.account, denied.body.id)).toMatchObject([
    { step: 'proposed', status: 'denied' },
  ])
  const refund = await money.tool('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 100 })
  await money.tool('cancel_action', { id: refund.body.id })
  expect(stepsOf(money.account.account, refund.body.id)).toMatchObject([
    { step: 'proposed' },
    { step: 'decided', decision: 'cancel' },
  ])
  scene.gate.config.CONFIRM_WAIT_MS = 60_000
  const done = await money.done('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 100 })
  const ended = async (account: string, id: number) =>
    until('the outcome is logged', async () => stepsOf(account, id).some(({ step }) => step === 'outcome'))
  await ended(money.account.account, done.id)
  expect(
    stepsOf(money.account.account, done.id).map(({ step, provider, outcome }) => [step, provider ?? outcome]),
  ).toEqual([
    ['proposed', undefined],
    ['decided', undefined],
    ['claimed', undefined],
    ['attempt', 'stripe'],
    ['outcome', 'done'],
  ])
  const { account, client, id, actor } = await scene.gate.openBroadcast()
  await client.confirm(id, actor)
  await ended(account.account, id)
  const attempts = stepsOf(account.account, id).filter(({ step }) => step === 'attempt')
  expect(attempts.map(({ channel, states }) => [channel, states]).toSorted()).toEqual([
    ['email', { ok: 1 }],
    ['slack', { ok: 2 }],
  ])
})

test('a request to the member is logged when it is recorded and when it is sent', async () => {
  const money = await billingScene(scene.gate)
  await money.account.setPolicy({
    kinds: { refund: { bands: { usd: [{ up_to_cents: 1_000, tier: 'guarded_write', consent: 'page' }] } } },
  })
  const { body } = await money.tool('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 100 })
  await money.tool('confirm_action', { id: body.id })
  await until('it is sent', async () =>
    stepsOf(money.account.account, body.id).some(({ step, state }) => step === 'asked' && state === 'sent'),
  )
  expect(stepsOf(money.account.account, body.id).map(({ step, state, via }) => [step, state, via])).toEqual([
    ['proposed', undefined, undefined],
    ['asked', 'recorded', 'email'],
    ['asked', 'sent', 'email'],
  ])
})

test('the story of an action says the same without the log, and what comes next', async () => {
  scene.answers((_request, response) => answerJson(response, 503, {}))
  scene.gate.config.CONFIRM_WAIT_MS = 0
  const id = await desk.start()
  await desk.recorded(id, { code: 'http_503' })
  const db = scene.gate.database.db
  const story = () =>
    actionStory({ db, kinds: kindsOf(db), config: scene.gate.config }, desk.account.account, id)
  const told = await until('the step is put off', async () => {
    const now = await story()
    return now.next.some((line) => line.startsWith('A step goes on')) && now
  })
  expect([told.status, told.result]).toEqual(['running', null])
  expect(told.lines.map(({ from, what }) => [from, what])).toEqual([
    ['ledger', 'proposed'],
    ['ledger', 'confirmed'],
    ['call', 'pending'],
  ])
  expect(told.next.join('\n')).toMatch(
    /Attempt \d+ failed \(http_503\)\. The next one is at .*Z\. It is repeated until .*Z\./,
  )
  const text = storyText(told, '')
  expect(text).toContain(told.workflow)
  expect(text).not.toContain('cus_1')
  scene.answers((_request, response) => answerJson(response, 200, {}))
  await desk.pass(id, 1)
  await desk.ended(id)
  const ended = await story()
  expect(ended.result).toBe('Done by its executor')
  expect(storyText(ended, '')).toContain('Nothing: it has ended.')
})

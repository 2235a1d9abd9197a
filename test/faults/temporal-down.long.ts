import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { proposalWorkflowId, scheduleId } from '../../src/temporal/names.ts'
import { type Service, startService, until } from '../support/supervisor.ts'
import { ended, sayRecovery, senderTo } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

// Five seconds for the signal, as a busy machine may need more than the usual one, and 20 for the rest: without the bound
// there would be no answer at all before Temporal is back.
const signalMs = 5_000
const answerMs = signalMs + 20_000

let service: Service
let isDown = false
beforeAll(async () => {
  service = await startService({
    isSandbox: true,
    hasOwnTemporal: true,
    env: { CONFIRM_SIGNAL_MS: String(signalMs) },
  })
}, 300_000)
afterAll(() => service.stop(), 60_000)
beforeEach(() => void (isDown = false))
afterEach(() => (isDown ? service.start('temporal') : undefined), 30_000)

test('with Temporal killed a propose answers 201, a cancel 200 and a confirm 202, and the confirm runs when it is back', async () => {
  const sender = await senderTo(service, 4)
  const { api, account } = sender.account
  const before = [await sender.propose(), await sender.propose()]
  await takeDown()
  const [proposed, during] = [
    await timed(() => api.propose(sender.actor, 'While Temporal was down.')),
    await sender.propose(),
  ]
  expect([proposed.answer.status, proposed.ms < answerMs]).toEqual([201, true])
  const cancelled = await timed(() => api.cancel(before[0]!.id, sender.actor))
  expect([cancelled.answer.status, cancelled.answer.body.status, cancelled.ms < answerMs]).toEqual([
    200,
    'cancelled',
    true,
  ])
  const confirmed = [
    await timed(() => api.confirm(before[1]!.id, sender.actor)),
    await timed(() => api.confirm(during.id, sender.actor)),
  ]
  for (const { answer, ms } of confirmed) {
    expect([answer.status, answer.body.status, answer.body.execution?.state]).toEqual([
      202,
      'proposed',
      'running',
    ])
    expect(ms).toBeLessThan(answerMs)
  }
  sayRecovery('confirm with Temporal killed, answered 202', Math.max(...confirmed.map(({ ms }) => ms)))
  expect((await api.list()).status).toBe(200)

  await bringBack()
  for (const { id } of [before[1]!, during]) {
    const { row, ms } = await ended(service, account, id, 120_000)
    sayRecovery('Temporal is back, until executed', ms)
    expect(row['result']).toMatchObject({ outcome: 'done' })
  }
  const later = await api.confirm(proposed.answer.body.id, sender.actor)
  expect([later.status, later.body.status]).toEqual([200, 'executed'])
  const acknowledged = [proposed.answer, cancelled.answer, ...confirmed.map(({ answer }) => answer), later]
  await expectInvariants(
    service,
    account,
    acknowledged.map((answer) => answer.body),
  )
}, 300_000)

test('with a Temporal that hangs a confirm answers 202 within its bound, and runs when it answers again', async () => {
  const sender = await senderTo(service, 3)
  const { id } = await sender.propose()
  service.pause('temporal')
  const { answer, ms } = await timed(() => sender.account.api.confirm(id, sender.actor))
  service.resume('temporal')
  sayRecovery('confirm with Temporal stopped, answered 202', ms)
  expect(answer.status).toBe(202)
  expect(ms).toBeLessThan(answerMs)
  expect((await ended(service, sender.account.account, id, 120_000)).row['status']).toBe('executed')
  await expectInvariants(service, sender.account.account, [answer.body])
}, 300_000)

test('an API that was started while Temporal was down answers, and executes once it is there', async () => {
  const sender = await senderTo(service, 3)
  await takeDown()
  await service.kill('api')
  await service.start('api')
  const { id } = await sender.propose()
  const { answer, ms } = await timed(() => sender.account.api.confirm(id, sender.actor))
  expect([answer.status, ms < answerMs]).toEqual([202, true])
  await bringBack()
  expect((await ended(service, sender.account.account, id, 120_000)).row['status']).toBe('executed')
  await expectInvariants(service, sender.account.account, [answer.body])
}, 300_000)

test('a confirm that waited for Temporal past its expiry is denied where its member was demoted, and executed where not', async () => {
  const [kept, demoted] = [await expiringSender(), await expiringSender()]
  const [a, b] = [await kept.propose(), await demoted.propose()]
  await takeDown()
  const answers = await Promise.all([
    kept.account.api.confirm(a.id, kept.actor),
    demoted.account.api.confirm(b.id, demoted.actor),
  ])
  expect(answers.map((answer) => answer.status)).toEqual([202, 202])
  await demoted.account.setTier(demoted.proposer, 'read_only')
  await until('both are past their expiry', 60_000, async () => {
    const rows = await service.sql<{ n: number }>(
      `select count(*)::int as n from gate.action where expires_at <= clock_timestamp() and status = 'proposed'
        and account_id in ('${kept.account.account}', '${demoted.account.account}')`,
    )
    return rows[0]!.n === 2
  })
  await bringBack()
  const executed = (await ended(service, kept.account.account, a.id, 120_000)).row
  const denied = (await ended(service, demoted.account.account, b.id, 120_000)).row
  expect(executed).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  expect(denied).toMatchObject({
    status: 'denied',
    denial_code: 'tier_insufficient',
    begun_at: null,
    executed_at: null,
  })
  expect(denied['denial_reason']).toMatch(
    /^This broadcast requires `guarded_write`; the member has `read_only`\./,
  )
  await expectInvariants(service, kept.account.account)
  await expectInvariants(service, demoted.account.account)
}, 300_000)

test("with Temporal's database lost, every open and every claimed row still comes to its end", async () => {
  const sender = await senderTo(service, 3)
  const { api, account } = sender.account
  const [open, second] = [await sender.propose(), await sender.propose()]
  service.edges.temporal.hold()
  await service.kill('worker')
  const claimed = await sender.propose()
  expect((await api.confirm(claimed.id, sender.actor)).status).toBe(202)
  service.edges.temporal.release()
  await service.wipeTemporal()
  await service.start('worker')
  const { row, ms } = await ended(service, account, claimed.id, 120_000)
  sayRecovery("Temporal's database wiped, until the claimed row executed", ms)
  expect(row['status']).toBe('executed')
  const confirmed = await api.confirm(open.id, sender.actor)
  expect([confirmed.status, confirmed.body.status]).toEqual([200, 'executed'])
  const cancelled = await api.cancel(second.id, sender.actor)
  expect(cancelled.body.status).toBe('cancelled')
  await expectInvariants(service, account, [confirmed.body, cancelled.body])
}, 300_000)

test("with Temporal's database lost under a running worker, `gate repair` gives every open row its workflow again", async () => {
  const sender = await senderTo(service, 3)
  const { api, account } = sender.account
  const [first, second] = [await sender.propose(), await sender.propose()]
  await until('the outbox is empty', 60_000, async () => {
    const due = await service.sql('select 1 from gate_private.open_action where due_at is not null')
    return due.length === 0
  })
  await service.wipeTemporal()
  const repaired = await service.gate('repair')
  expect(repaired).toMatchObject({ failed: 0, restarted: repaired.open })
  expect(repaired.open).toBeGreaterThanOrEqual(2)
  const client = await service.temporal()
  const ids = await service.sql<{ id: number; uuid: string }>(
    `select id::int, uuid from gate.action where account_id = '${account}' order by id`,
  )
  for (const { id, uuid } of ids) {
    const handle = client.workflow.getHandle(proposalWorkflowId({ account, id, uuid }))
    await until(`the workflow of ${id} waits`, 60_000, () =>
      handle.query('state').then(
        (state) => state === 'waiting',
        () => false,
      ),
    )
  }
  expect((await client.schedule.getHandle(scheduleId.reconcile).describe()).scheduleId).toBe(
    scheduleId.reconcile,
  )
  const confirmed = await api.confirm(first.id, sender.actor)
  expect([confirmed.status, confirmed.body.status]).toEqual([200, 'executed'])
  const cancelled = await api.cancel(second.id, sender.actor)
  await expectInvariants(service, account, [confirmed.body, cancelled.body])
}, 300_000)

async function takeDown(): Promise<void> {
  isDown = true
  await service.kill('temporal')
}

async function bringBack(): Promise<void> {
  await service.start('temporal')
  isDown = false
}

/** Its proposals expire after seconds. */
async function expiringSender() {
  const account = await service.account()
  await account.setPolicy({ expires_after_hours: 5 / 3_600 })
  const proposer = await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  const actor = { email: 'ada@example.com' }
  return {
    account,
    proposer,
    actor,
    async propose() {
      const answer = await account.api.propose(actor, `Soon over, of ${account.account}.`)
      expect(answer.status).toBe(201)
      return { id: answer.body.id as number }
    },
  }
}

async function timed<T>(call: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  const begin = performance.now()
  const answer = await call()
  return { answer, ms: Math.round(performance.now() - begin) }
}

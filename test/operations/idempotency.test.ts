import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { forgetKeys } from '../../src/db/queries/actions/open-actions.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let open: OpenBroadcast
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
beforeEach(async () => {
  open = await gate.openBroadcast()
})
// Some tests stop them.
afterEach(() => gate.startWorkers())
afterAll(() => gate.stop())

const replayed = (answer: { headers: Headers }) => answer.headers.get('idempotent-replayed')

test('a repeated propose makes no second row and gets the first answer, marked as replayed', async () => {
  const { client, actor } = open
  const key = randomUUID()
  const first = await client.propose(actor, 'Once.', key)
  const again = await client.propose(actor, 'Once.', key)
  expect([first.status, replayed(first)]).toEqual([201, null])
  expect([again.status, replayed(again)]).toEqual([201, 'true'])
  expect(again.body).toEqual(first.body)
  expect((await client.list()).body.actions).toHaveLength(2)
})

test('a repeated propose gets its first answer also after the row was decided', async () => {
  const { client, actor } = open
  const key = randomUUID()
  const first = await client.propose(actor, 'Once.', key)
  await client.confirm(first.body.id, actor)
  expect((await client.propose(actor, 'Once.', key)).body).toEqual(first.body)
})

test('a repeated propose gets its first answer also after its member was deactivated', async () => {
  const { account, client, actor, proposer } = open
  const key = randomUUID()
  const first = await client.propose(actor, 'Once.', key)
  await account.setActive(proposer, false)
  const again = await client.propose(actor, 'Once.', key)
  expect([again.status, again.body, replayed(again)]).toEqual([201, first.body, 'true'])
})

test('one of ten proposes with one key at once makes the row, and all get it', async () => {
  const { client, actor } = open
  const key = randomUUID()
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.propose(actor, 'Once.', key)))
  expect(answers.map((a) => a.status)).toEqual(answers.map(() => 201))
  expect(new Set(answers.map((a) => a.body.id)).size).toBe(1)
  expect(answers.filter((a) => replayed(a) === null)).toHaveLength(1)
})

test('a repeated confirm gets the same answer and delivers nothing twice', async () => {
  const { client, actor, id } = open
  const before = gate.sandbox.messages().length
  const key = randomUUID()
  const first = await client.confirm(id, actor, { key })
  const again = await client.confirm(id, actor, { key })
  expect([first.status, replayed(first), first.body.status]).toEqual([200, null, 'executed'])
  expect([again.status, replayed(again)]).toEqual([200, 'true'])
  expect(again.body).toEqual(first.body)
  expect(gate.sandbox.messages().length - before).toBe(3)
})

test('a repeated cancel gets the same answer', async () => {
  const { account, client, actor, id } = open
  const key = randomUUID()
  const first = await client.cancel(id, actor, key)
  const again = await client.cancel(id, actor, key)
  expect([again.status, replayed(again), again.body]).toEqual([200, 'true', first.body])
  expect(await entryKindsOf(gate.database, account.account, id)).toEqual(['proposed', 'cancelled'])
})

test('a repeated confirm that was denied gets the denial again', async () => {
  const { account, client, actor, id, proposer } = open
  await account.setTier(proposer, 'read_only')
  const key = randomUUID()
  const first = await client.confirm(id, actor, { key })
  await account.setTier(proposer, 'write')
  const again = await client.confirm(id, actor, { key })
  expect(first.body.status).toBe('denied')
  expect([again.status, replayed(again), again.body]).toEqual([200, 'true', first.body])
})

test('a repeat joins a confirm that is still running and gets what it gets; without the key it is 409', async () => {
  await gate.stopWorkers({ isAwaited: true })
  const { client, actor, id } = open
  const before = gate.sandbox.messages().length
  const key = randomUUID()
  const first = client.confirm(id, actor, { key })
  await until('the confirm is recorded', async () => (await client.get(id)).body.execution)
  const repeats = [client.confirm(id, actor, { key }), client.confirm(id, actor, { key })]
  const strangers = [
    await client.confirm(id, actor),
    await client.confirm(id, actor, { key: randomUUID() }),
    await client.cancel(id, actor),
  ]
  await gate.startWorkers()
  const answers = await Promise.all([first, ...repeats])
  expect(strangers.map((a) => a.status)).toEqual([409, 409, 409])
  expect(strangers[0]!.body.error).toContain('being executed')
  expect(answers.map((a) => [a.status, a.body.status])).toEqual(answers.map(() => [200, 'executed']))
  expect(answers[1]!.body).toEqual(answers[0]!.body)
  expect(gate.sandbox.messages().length - before).toBe(3)
})

test.each(['propose', 'confirm', 'cancel'] as const)(
  'a key that was used for one %s is refused for another: 422, and nothing happens',
  async (verb) => {
    const { client, actor } = open
    const key = randomUUID()
    const rows = [await client.propose(actor, 'a'), await client.propose(actor, 'b')].map((a) => a.body.id)
    const call = {
      propose: (n: number) => client.propose(actor, `text ${n}`, key),
      confirm: (n: number) => client.confirm(rows[n], actor, { key }),
      cancel: (n: number) => client.cancel(rows[n], actor, key),
    }[verb]
    const [first, second] = [await call(0), await call(1)]
    expect([first.status < 300, second.status]).toEqual([true, 422])
    expect(second.body.error).toContain('Idempotency-Key')
    expect((await client.get(rows[1])).body.status).toBe('proposed')
  },
)

test('the same key serves one propose, one confirm and one cancel: it is bound to the operation', async () => {
  const { client, actor } = open
  const key = randomUUID()
  const one = await client.propose(actor, 'a', key)
  const two = await client.propose(actor, 'b')
  const answers = [
    await client.confirm(one.body.id, actor, { key }),
    await client.cancel(two.body.id, actor, key),
  ]
  expect(answers.map((a) => [a.status, a.body.status, replayed(a)])).toEqual([
    [200, 'executed', null],
    [200, 'cancelled', null],
  ])
})

test('the same key of another account is another key', async () => {
  const other = await gate.openBroadcast()
  const key = randomUUID()
  const answers = [
    await open.client.propose(open.actor, 'a', key),
    await other.client.propose(other.actor, 'b', key),
  ]
  expect(answers.map((a) => [a.status, replayed(a)])).toEqual([
    [201, null],
    [201, null],
  ])
})

test('errors are not kept: the same key works once its reason is gone', async () => {
  const { account, client, actor, id } = open
  const key = randomUUID()
  const late = { email: 'late@example.com' }
  const unknown = await client.propose(late, 'Hi.', key)
  await account.addMember({ email: 'late@example.com', tier: 'write' })
  const known = await client.propose(late, 'Hi.', key)
  await account.suspend(true)
  const suspended = await client.confirm(id, actor, { key })
  await account.suspend(false)
  const resumed = await client.confirm(id, actor, { key })
  expect([unknown.status, known.status, suspended.status, resumed.status]).toEqual([404, 201, 409, 200])
  expect([replayed(known), replayed(resumed)]).toEqual([null, null])
})

test('the key of a proposal holds for 24 hours, while it is open, and for 24 hours after its end; then it is new', async () => {
  const { account, client, actor } = open
  const key = randomUUID()
  const first = await client.propose(actor, 'Daily.', key)
  const { id } = first.body
  const ours = `account_id = '${account.account}'`
  const pass = async (hours: number, { isCleaned = true } = {}) => {
    await gate.database.asSuperuser(
      `begin;
       alter table gate.ledger disable trigger ledger_append_only;
       update gate.ledger set at = at - interval '${hours} hours' where ${ours};
       alter table gate.ledger enable always trigger ledger_append_only;
       update gate.idempotency set created_at = created_at - interval '${hours} hours' where ${ours};
       commit`,
    )
    // What holds is not forgotten, and what is forgotten held no longer.
    if (isCleaned) await forgetKeys(gate.deps.db, account.account, 100)
  }
  const again = () => client.propose(actor, 'Daily.', key)
  await pass(23.9)
  expect((await again()).body).toEqual(first.body)
  for (const hours of [0.2, 150]) {
    await pass(hours)
    const repeated = await again()
    expect([repeated.status, replayed(repeated), repeated.body]).toEqual([201, 'true', first.body])
    expect((await client.propose(actor, 'Another.', key)).status).toBe(422)
  }
  // Approved, and being executed: for as long as that takes.
  await gate.stopWorkers({ isAwaited: true })
  const confirmKey = randomUUID()
  const confirmed = client.confirm(id, actor, { key: confirmKey })
  await until('the confirm is recorded', async () => (await client.get(id)).body.execution)
  await pass(25, { isCleaned: false })
  expect((await again()).body.id).toBe(id)
  await gate.startWorkers()
  expect((await confirmed).body.status).toBe('executed')
  await pass(23.9, { isCleaned: false })
  expect((await again()).body.id).toBe(id)
  expect(replayed(await client.confirm(id, actor, { key: confirmKey }))).toBeNull()
  // Also before it is deleted.
  await pass(0.2, { isCleaned: false })
  expect((await again()).body.id).toBeGreaterThan(id)
})

test.each([
  ['empty', ''],
  ['longer than 255 characters', 'k'.repeat(256)],
  ['not visible ASCII', 'a b'],
  ['not ASCII', 'ké'],
])('a key that is %s is refused: 422', async (_what, key) => {
  const answer = await open.client.propose(open.actor, 'Hi.', key)
  expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining('Idempotency-Key')])
})

test('a key of one or of 255 visible characters is taken', async () => {
  const keys = ['!', '~'.repeat(255)]
  const answers = await Promise.all(keys.map((key) => open.client.propose(open.actor, 'Hi.', key)))
  expect(answers.map((a) => a.status)).toEqual([201, 201])
})

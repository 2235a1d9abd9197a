import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { reconcileActivities } from '../../activities/reconcile.ts'
import type { Deps } from '../../src/deps.ts'
import { limits } from '../../src/limits.ts'
import type { Workflows } from '../../src/temporal/client.ts'
import { type TestGate, startGate } from '../support/gate.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate({ workers: false })
}, 60_000)
afterEach(() => gate.database.asSuperuser('delete from gate_private.open_action'))
afterAll(() => gate.stop())

/** The dependencies, with a Temporal that does as told, and what was logged. */
function depsWith(revive: Workflows['revive']) {
  const warned: Record<string, unknown>[] = []
  const log = Object.assign(Object.create(gate.deps.log) as Deps['log'], {
    warn: (about: Record<string, unknown>) => warned.push(about),
  })
  return { deps: { ...gate.deps, log, workflows: { ...gate.deps.workflows, revive } }, warned }
}

/** Adds open actions that were confirmed long ago and have not ended. */
const addRunning = (count: number) =>
  gate.database.asSuperuser(
    `insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, decided_at, wake)
     select gen_random_uuid(), 'acc_none', n, 'broadcast', now() + interval '1 day', now() - interval '1 hour', 'confirm'
     from generate_series(1, ${count}) n`,
  )

test('a row that fails ends no pass: the others are mended, and the log counts it', async () => {
  await addRunning(5)
  const revived: number[] = []
  const { deps, warned } = depsWith(async ({ id }) => {
    if (id === 3) throw new Error('this one fails')
    revived.push(id)
    return 'restarted'
  })
  expect(await reconcileActivities(deps).reconcile()).toMatchObject({ revived: 4, failed: 1 })
  expect(revived.toSorted()).toEqual([1, 2, 4, 5])
  expect(warned).toMatchObject([{ failed: 1, tried: 5, what: 'open proposals and running actions' }])
})

test.each(['ask', 'wake'])(
  'a signal %s that falls due again while its workflow is restarted stays due',
  async (wake) => {
    await addRunning(2)
    const due = (since: string) =>
      `update gate_private.open_action set wake = '${wake}', due_at = now() - interval '${since}'`
    await gate.database.asSuperuser(due('1 hour'))
    const { deps } = depsWith(async ({ id }) => {
      if (id === 2) await gate.database.asSuperuser(`${due('0')} where action_id = 2`)
      return 'running'
    })
    await reconcileActivities(deps).reconcile()
    expect(
      await gate.database.asSuperuser(
        'select action_id::integer from gate_private.open_action where due_at is not null',
      ),
    ).toEqual([{ action_id: 2 }])
  },
)

test('rows beyond the first page have their turn in the same pass', async () => {
  const count = limits.reconcileRowsMax + 300
  await addRunning(count)
  const seen = new Set<number>()
  const { deps } = depsWith(async ({ id }) => {
    seen.add(id)
    return 'running'
  })
  await reconcileActivities(deps).reconcile()
  expect(seen.size).toBe(count)
})

test('a pass that runs out of time ends, and the next ones go on after it until every row had its turn', async () => {
  const count = limits.reconcileRowsMax + 300
  await addRunning(count)
  const seen: number[] = []
  let nowMs = 0
  const { deps } = depsWith(async ({ id }) => {
    seen.push(id)
    nowMs++
    return 'running'
  })
  const bounded = reconcileActivities(deps, { partMs: 400, width: 8, now: () => nowMs })
  await bounded.reconcile()
  expect(seen).toHaveLength(400)
  for (let pass = 0; new Set(seen).size < count; pass++) {
    expect(pass).toBeLessThan(100)
    await bounded.reconcile()
  }
  // Nothing comes a second time before everything came once.
  expect(new Set(seen.slice(0, count)).size).toBe(count)
}, 60_000)

test('keys of many accounts are forgotten several accounts at a time', async () => {
  const accounts = await Promise.all(Array.from({ length: 6 }, () => gate.account()))
  let [underWay, most] = [0, 0]
  const { deps } = depsWith(async () => 'running')
  const db = { ...gate.database.db }
  db.run = (async (statement: Parameters<typeof db.run>[0]) => {
    most = Math.max(most, ++underWay)
    return gate.database.db.run(statement).finally(() => underWay--)
  }) as typeof db.run
  const ada = { email: 'ada@example.com' }
  for (const account of accounts) {
    await account.addMember({ ...ada, tier: 'guarded_write' })
    const { body } = await account.client.propose(ada, 'Lunch is at noon.')
    await account.client.cancel(body.id as number, ada, randomUUID())
  }
  const old = await gate.database.asSuperuser(
    `update gate.idempotency set created_at = now() - interval '2 days' returning 1`,
  )
  expect(old).toHaveLength(accounts.length)
  await reconcileActivities({ ...deps, db }).reconcile()
  expect(most).toBeGreaterThan(2)
  expect(await gate.database.asSuperuser('select count(*)::integer as left from gate.idempotency')).toEqual([
    { left: 0 },
  ])
})

test('rows that nothing needed for 90 days are forgotten in the same pass', async () => {
  const account = await gate.account()
  const ada = { email: 'ada@example.com' }
  await account.addMember({ ...ada, tier: 'guarded_write' })
  const { body } = await account.client.propose(ada, 'Lunch is at noon.')
  const ours = `account_id = '${account.account}'`
  await gate.database.asSuperuser(
    `update gate.recipient_set set kept_at = now() - interval '91 days' where ${ours}`,
  )
  const left = () =>
    gate.database.asSuperuser(
      `select count(*)::integer as left from gate.recipient_set where ${ours} and forgotten_at is null`,
    )
  const { deps } = depsWith(async () => 'running')
  await reconcileActivities(deps).reconcile()
  expect(await left()).toEqual([{ left: 1 }])
  await account.client.cancel(body.id, ada)
  await reconcileActivities(deps).reconcile()
  expect(await left()).toEqual([{ left: 0 }])
})

test('a key of receipts whose last receipt has expired is deleted, with its private part; the one that signs stays', async () => {
  await gate.database.asSuperuser(
    `insert into gate_private.receipt_key (kid, public_key, ciphertext, wrapped_key, secrets_kid, signs_from)
     select rpad(name, 43, '0'), sha256(name::bytea), '', '', 'k1', now() - days * interval '1 day'
     from (values ('gone', 90), ('replaced', 31), ('current', 29)) k(name, days)`,
  )
  const { deps } = depsWith(async () => 'running')
  expect(await reconcileActivities(deps).reconcile()).toMatchObject({ failed: 0 })
  const left = await gate.database.asSuperuser('select kid from gate_private.receipt_key order by signs_from')
  expect(left.map(({ kid }) => String(kid).replace(/0+$/, ''))).toEqual(['replaced', 'current'])
})

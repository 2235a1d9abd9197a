import { expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { mapConcurrent } from '../../src/waiting/map-concurrent.ts'
import type { TestDatabase } from '../support/database.ts'
import { type Lived, openAccount } from '../ledger/lived-account.ts'
import { ofThisFile } from '../ledger/file-scene.ts'

let database: TestDatabase
let deps: Deps
ofThisFile((made) => ({ database, deps } = made))

/** The share of a table's updates that wrote no index (heap-only tuples). */
async function inPlaceShare(table: string): Promise<number> {
  const [row] = await database.asSuperuser(`
    select n_tup_hot_upd::float8 / n_tup_upd as share from pg_stat_user_tables where relid = '${table}'::regclass`)
  return Number(row!['share'])
}

test('rows that were made among others are changed in place', async () => {
  const accounts = await Promise.all([1, 2, 3, 4].map(() => openAccount(deps)))
  const ids: [Lived, number][] = []
  for (let n = 0; n < 75; n++) for (const account of accounts) ids.push([account, await account.propose()])
  await mapConcurrent(4, ids, ([account, id]) => account.execute(id))
  // A connection reports what it counted when it ends.
  await deps.close()
  await database.db.close()
  expect(await inPlaceShare('gate.ledger_head')).toBeGreaterThan(0.99)
  expect(await inPlaceShare('gate.delivery')).toBeGreaterThan(0.99)
})

test('the tables that change most are vacuumed long before a fifth of them is dead', async () => {
  const rows = await database.asSuperuser(`
    select c.oid::regclass::text as name from pg_class c
    where c.reloptions && array['autovacuum_vacuum_scale_factor=0.01', 'autovacuum_vacuum_scale_factor=0.02',
      'autovacuum_vacuum_scale_factor=0.05']
    order by 1`)
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['gate.action', 'gate.ledger', 'gate_private.open_action', 'gate.idempotency']),
  )
})

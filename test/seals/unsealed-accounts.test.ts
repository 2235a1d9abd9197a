import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { readSealStatus } from '../../src/db/queries/ledger/seals.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { depsOf, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { appendTo, sealerIn, truncateTo } from './scene.ts'

let database: TestDatabase
let deps: Deps
let sealer: ReturnType<typeof sealerIn>
let accounts: string[]
beforeEach(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  sealer = sealerIn(database.db)
  accounts = []
  for (let i = 0; i < 3; i++) accounts.push((await livedAccount(deps)).account)
})
afterEach(async () => {
  sealer.remove()
  await deps.close()
  await database.drop()
})

const seal = () => sealLedgers(sealer)
/** Seals as the sealer does every ten seconds. */
const sealNew = () => sealLedgers({ ...sealer, onlyNew: true })
async function unsealed(): Promise<unknown[]> {
  const rows = await database.asSuperuser(
    'select account_id from gate_private.unsealed_account order by account_id',
  )
  return rows.map((row) => row['account_id'])
}

test('a pass with nothing to do looks at no account, and one with something at the accounts with new entries', async () => {
  expect(await unsealed()).toEqual(accounts.toSorted())
  expect((await sealNew()).accounts).toHaveLength(3)
  expect(await unsealed()).toEqual([])
  // Nothing says more clearly that a ledger is not looked at than a loss that is not noticed.
  await truncateTo(database, accounts[0]!, livedSeq - 1)
  await database.asSuperuser('delete from gate_private.unsealed_account')
  await appendTo(database, accounts[1]!, 2)
  expect(await unsealed()).toEqual([accounts[1]])
  expect(await sealNew()).toMatchObject({
    state: 'sealed',
    accounts: [{ account: accounts[1], seq: livedSeq + 2 }],
  })
  expect(await unsealed()).toEqual([])
})

test('a pass over all accounts notices what was lost, and passes over new entries do not forget it', async () => {
  await seal()
  await truncateTo(database, accounts[0]!, livedSeq - 1)
  await database.asSuperuser('delete from gate_private.unsealed_account')
  const refused = { state: 'attention', faults: [{ account: accounts[0] }] }
  expect(await seal()).toMatchObject(refused)
  expect(await sealNew()).toMatchObject(refused)
})

test('entries that are written while ledgers are sealed are sealed by a later pass', async () => {
  const written = new AbortController()
  const writing = Promise.all(
    accounts.map(async (account) => {
      for (let i = 0; i < 40; i++) await appendTo(database, account, 1)
    }),
  ).finally(() => written.abort())
  while (!written.signal.aborted) await sealNew()
  await writing
  await sealNew()
  const late = await database.asSuperuser(`
    select h.account_id from gate.ledger_head h
    where h.seq > (select max(s.size) from gate.ledger_seal s where s.account_id = h.account_id and s.note is not null)`)
  expect(late).toEqual([])
  expect(await unsealed()).toEqual([])
}, 60_000)

test('since when entries wait for their seal is told of the accounts that have some, and of a bounded number of them', async () => {
  const ordered = accounts.toSorted()
  const waitingSince = async (max: number) =>
    (await readSealStatus(database.db, max)).waiting_since?.getTime() ?? null
  const oldestOf = async (...of: string[]) => {
    const list = of.map((account) => `'${account}'`).join()
    const [row] = await database.asSuperuser(
      `select min(l.at) as at from gate.ledger l where l.account_id in (${list})
       and l.seq > (select coalesce(max(s.size), 0) from gate.ledger_seal s where s.account_id = l.account_id)`,
    )
    return (row!['at'] as Date).getTime()
  }
  expect(await waitingSince(1_000)).toBe(await oldestOf(...accounts))
  await seal()
  expect(await waitingSince(1_000)).toBeNull()
  // The one in the middle first: it is the oldest, and not among the two.
  for (const account of [ordered[1]!, ordered[0]!, ordered[2]!]) await appendTo(database, account, 1)
  expect(await waitingSince(1_000)).toBe(await oldestOf(ordered[1]!))
  expect(await waitingSince(2)).toBe(await oldestOf(ordered[0]!, ordered[2]!))
  // A pass reads only accounts of this list, which bounds the reading.
  await database.asSuperuser('delete from gate_private.unsealed_account')
  expect(await waitingSince(1_000)).toBeNull()
})

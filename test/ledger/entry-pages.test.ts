import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Db } from '../../src/db/connect.ts'
import { entryPages } from '../../src/ledger/entry-pages.ts'
import { freshAccount } from '../support/account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
let account: string
const entries = 2_300
beforeAll(async () => {
  database = await freshDatabase()
  account = (await freshAccount(database.db)).account
  await database.asSuperuser(`
    select count(gate_private.note('${account}', gen_random_uuid(), 'write_refused', null, 'unknown', null, '{}'))
    from generate_series(1, ${entries})`)
}, 60_000)
afterAll(() => database.drop())

async function seqsOf(range: { after: number; upTo: number }, db: Db = database.db): Promise<number[]> {
  const seqs: number[] = []
  for await (const page of entryPages(db, account, range)) seqs.push(...page.map(({ seq }) => seq))
  return seqs
}

test('every entry of a range comes once and in order, across pages', async () => {
  const due = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i + 1)
  expect(await seqsOf({ after: 0, upTo: entries })).toEqual(due(0, entries))
  expect(await seqsOf({ after: 7, upTo: 2_007 })).toEqual(due(7, 2_007))
  expect(await seqsOf({ after: 9, upTo: 9 })).toEqual([])
})

test('the failure of a page that is read ahead is thrown once that page is due, and not where the caller ends before', async () => {
  let reads = 0
  const failing: Db = {
    ...database.db,
    read: (statement) => (++reads > 1 ? Promise.reject(new Error('cut')) : database.db.read(statement)),
  }
  await expect(seqsOf({ after: 0, upTo: entries }, failing)).rejects.toThrow('cut')
  reads = 0
  for await (const page of entryPages(failing, account, { after: 0, upTo: entries })) {
    expect(page).toHaveLength(1_000)
    break
  }
})

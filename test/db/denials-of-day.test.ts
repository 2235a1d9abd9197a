import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listDenialsOfDay } from '../../src/db/queries/actions/overview.ts'
import { freshAccount } from '../support/account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
let account: string

const insert = (id: number, status: string, hoursAgo: number, decidedHoursAgo?: number) => `
  insert into gate.action (
    account_id, id, uuid, kind, status, member, tier_at_request, source, payload, created_at, requires_confirmation,
    denial_reason, closed_reason, decision, decided_at
  ) values (
    '${account}', ${id}, gen_random_uuid(), 'broadcast', '${status}', 'ada@example.com', 'read_only', 'api', '{}',
    now() - ${hoursAgo} * interval '1 hour', true, 'Not allowed.', 'proposer',
    ${decidedHoursAgo === undefined ? 'null' : status === 'denied' ? `'deny'` : `'cancel'`},
    now() - ${decidedHoursAgo ?? 'null'}::float8 * interval '1 hour'
  );`

beforeAll(async () => {
  database = await freshDatabase()
  ;({ account } = await freshAccount(database.db))
  await database.asSuperuser(
    [
      insert(1, 'denied', 90),
      insert(2, 'denied', 80, 0.5),
      insert(3, 'denied', 70, 60),
      insert(4, 'denied', 25),
      insert(5, 'denied', 23),
      insert(6, 'cancelled', 22, 2),
      insert(7, 'denied', 21, 3),
      insert(8, 'denied', 1),
    ].join('\n'),
  )
})
afterAll(() => database.drop())

const idsOf = async (limitRows: number) =>
  (await listDenialsOfDay(database.db, account, limitRows)).map(({ id }) => id)

test('the denials of a day are what was proposed and denied in it, and confirms refused in it, newest first by when they were denied', async () => {
  expect(await idsOf(10)).toEqual([2, 8, 7, 5])
})

test('the denials of a day are bounded, and the newest stay', async () => {
  expect(await idsOf(2)).toEqual([2, 8])
})

test('an account without an action of the day still shows the confirms refused in it', async () => {
  await database.asSuperuser(`delete from gate.action where account_id = '${account}' and id > 4`)
  expect(await idsOf(10)).toEqual([2])
})

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Db, connect } from '../../src/db/connect.ts'
import { type KeyShares, keyShares } from '../../src/db/key-shares.ts'
import { takeRequests } from '../../src/db/queries/accounts/authenticate.ts'
import { type TestAccount, freshAccount } from '../support/account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { testPort } from '../support/test-port.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

let account: TestAccount
beforeEach(async () => {
  account = await freshAccount(database.db)
})

const max = 500
const share = 10

/** A process, and how many statements it made. */
function process(): { shares: KeyShares; statements(): number } {
  let statements = 0
  const once: Db['once'] = (statement) => {
    statements += 1
    return database.db.once(statement)
  }
  return { shares: keyShares({ ...database.db, once }, max), statements: () => statements }
}

const spend = async (shares: KeyShares, requests: number) => {
  const answers = await Promise.all(Array.from({ length: requests }, () => shares.spend(account)))
  return answers.filter((answer) => answer === 'counted').length
}

/** Makes the minute end. */
const nextMinute = () =>
  database.asSuperuser(
    `update gate_private.key_minute set ends_at = clock_timestamp() where key_id = '${account.keyId}'`,
  )

test('two processes together count to the limit exactly, with one statement for a share', async () => {
  const [one, other] = [process(), process()]
  // Each has a share before both go on: what is left may go to one alone.
  expect(await spend(one.shares, 1)).toBe(1)
  expect(await spend(other.shares, 1)).toBe(1)
  const counted = await Promise.all([spend(one.shares, max), spend(other.shares, max)])
  expect(counted[0]! + counted[1]!).toBe(max - 2)
  expect(Math.min(...counted)).toBeGreaterThanOrEqual(share - 1)
  const refused = await one.shares.spend(account)
  expect(refused).toEqual({ usedUpMs: expect.any(Number) })
  expect((refused as { usedUpMs: number }).usedUpMs).toBeGreaterThan(0)
  expect((refused as { usedUpMs: number }).usedUpMs).toBeLessThanOrEqual(60_000)
  // All shares, and that there is no further one, once for each.
  expect(one.statements() + other.statements()).toBeLessThanOrEqual(max / share + 2)
})

test('a process that has died costs the others its share until the minute ends, and nothing afterwards', async () => {
  expect(await spend(process().shares, 1)).toBe(1)
  expect(await spend(process().shares, max)).toBe(max - share)
  await nextMinute()
  expect(await spend(process().shares, max)).toBe(max)
})

test('a lowered limit counts at once, and nothing is given beyond it', async () => {
  expect(await takeRequests(database.db, account, 100, 1_000)).toMatchObject({ taken: 100 })
  expect(await takeRequests(database.db, account, 100, 150)).toMatchObject({ taken: 50 })
  expect(await takeRequests(database.db, account, 100, 120)).toMatchObject({ taken: 0 })
})

test('a key whose limit was used up before the clock was set back does not wait for as long as that', async () => {
  expect(await spend(process().shares, max)).toBe(max)
  expect(await spend(process().shares, 1)).toBe(0)
  await database.asSuperuser(
    `update gate_private.key_minute set ends_at = clock_timestamp() + interval '1 hour' where key_id = '${account.keyId}'`,
  )
  expect(await spend(process().shares, max + 1)).toBe(max)
  const refused = await process().shares.spend(account)
  expect((refused as { usedUpMs: number }).usedUpMs).toBeLessThanOrEqual(60_000)
})

test('keys are counted apart', async () => {
  const { keyId } = await account.mintKey()
  const { shares } = process()
  expect(await spend(shares, max + 1)).toBe(max)
  expect(await shares.spend({ account: account.account, keyId })).toBe('counted')
})

test('without the database a process counts alone', async () => {
  const down = connect(`postgres://gate:x@127.0.0.1:${await testPort()}/gate`, {
    applicationName: 'gate test',
  })
  const shares = keyShares(down, max)
  expect([await shares.spend(account), await shares.spend(account)]).toEqual(['alone', 'alone'])
  await down.close()
})

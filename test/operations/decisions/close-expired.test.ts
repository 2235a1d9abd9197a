import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { limits } from '../../../src/limits.ts'
import { closingExpired } from '../../../src/operations/decisions/close-expired.ts'
import { type TestGate, startGate } from '../../support/gate.ts'
import { entryKindsOf } from '../../support/ledger-entries.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate({ workers: false })
}, 60_000)
afterEach(() => gate.database.asSuperuser('delete from gate_private.open_action'))
afterAll(() => gate.stop())

const ada = { email: 'ada@example.com' }

/** A pass, and how many failures it warned of. */
function passes() {
  const warned: number[] = []
  const log = Object.assign(Object.create(gate.deps.log) as typeof gate.deps.log, {
    warn: ({ failed }: { failed: number }) => warned.push(failed),
  })
  return { pass: closingExpired({ db: gate.deps.db, log }), warned }
}

/** Runs enough passes for every row of two pages: the first pass begins at a random row. */
async function passAll(pass: () => Promise<number>): Promise<void> {
  for (let n = 0; n < 5; n++) await pass()
}

/** Proposals of an account, which expired a second ago. */
async function expired(count: number) {
  const account = await gate.account()
  await account.addMember({ ...ada, tier: 'guarded_write' })
  const ids: number[] = []
  for (let n = 0; n < count; n++)
    ids.push((await account.client.propose(ada, `Lunch is at noon, ${n}.`)).body.id as number)
  await gate.database.asSuperuser(
    ['gate.action', 'gate_private.open_action']
      .map(
        (table) =>
          `update ${table} set expires_at = now() - interval '1 second' where account_id = '${account.account}'`,
      )
      .join(';'),
  )
  return { ...account, ids }
}

const openRows = async (account: string) =>
  (await gate.database.asSuperuser(`select 1 from gate_private.open_action where account_id = '${account}'`))
    .length

test('an expired proposal is closed without its workflow, once, and nothing is left to tell', async () => {
  const { account, client, ids } = await expired(3)
  const open = await client.propose(ada, 'Not yet over.')
  const both = [passes(), passes()]
  await Promise.all(both.map(({ pass }) => passAll(pass)))
  for (const id of ids) {
    expect((await client.get(id)).body).toMatchObject({ status: 'cancelled', closed_reason: 'expired' })
    expect(await entryKindsOf(gate.database, account, id)).toEqual(['proposed', 'expired'])
  }
  expect((await client.get(open.body.id)).body.status).toBe('proposed')
  expect(await openRows(account)).toBe(1)
  expect(both.map(({ warned }) => warned)).toEqual([[], []])
})

test('a confirm that closes an expired proposal leaves nothing to tell either', async () => {
  const { account, client, ids } = await expired(1)
  expect((await client.confirm(ids[0]!, ada)).status).toBe(409)
  expect(await openRows(account)).toBe(0)
})

test('rows that cannot be closed, more than a page of them, do not keep others from being closed', async () => {
  const { client, ids } = await expired(1)
  // The rows name an account that does not exist.
  await gate.database.asSuperuser(
    `insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, wake)
     select gen_random_uuid(), 'acc_none', n, 'broadcast', now() - interval '1 hour', 'start'
     from generate_series(1, ${2 * limits.expiryRowsMax}) n`,
  )
  const { pass, warned } = passes()
  await passAll(pass)
  expect((await client.get(ids[0]!)).body).toMatchObject({ status: 'cancelled', closed_reason: 'expired' })
  expect(warned.length).toBeGreaterThan(0)
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { forgetKeys } from '../../src/db/queries/actions/open-actions.ts'
import { forgetRecipients, keepRecipients } from '../../src/db/queries/members/roster.ts'
import type { Deps } from '../../src/deps.ts'
import { recipientSets } from '../../src/ledger/recipient-sets.ts'
import { recipientsHash } from '../../src/ledger/digest.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { type Lived, depsOf, openAccount } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let ours: string
beforeAll(async () => {
  database = await freshDatabase()
})
beforeEach(async () => {
  // Another process: it knows of no set that was stored before.
  await deps?.close()
  deps = depsOf(database)
  lived = await openAccount(deps)
  ours = `account_id = '${lived.account}'`
})
afterAll(async () => {
  await deps.close()
  await database.drop()
})

const keysLeft = async () => {
  const rows = await database.asSuperuser(`select key from gate.idempotency where ${ours} order by key`)
  return rows.map(({ key }) => key)
}

test('idempotency keys are forgotten a day after their use, so many a step, and none of a proposal that is open', async () => {
  const open = await lived.propose()
  const add = (key: string, hours: number, operation = 'cancel') =>
    database.asSuperuser(
      `insert into gate.idempotency (account_id, operation, key, request, action_id, created_at)
       values ('${lived.account}', '${operation}', '${key}', sha256('x'), ${open}, now() - interval '${hours} hours')`,
    )
  const [young, waiting] = [randomUUID(), randomUUID()]
  await add(young, 23)
  await add(waiting, 160, 'propose')
  for (let n = 0; n < 5; n++) await add(randomUUID(), 25)
  expect(await forgetKeys(database.db, lived.account, 2)).toBe(2)
  expect(await keysLeft()).toHaveLength(5)
  expect(await forgetKeys(database.db, lived.account, 2)).toBe(2)
  expect(await forgetKeys(database.db, lived.account, 2)).toBe(1)
  expect(await keysLeft()).toEqual([young, waiting].toSorted())
})

const age = (days: number) =>
  database.asSuperuser(
    `update gate.recipient_set set kept_at = now() - interval '${days} days' where ${ours}`,
  )

const sets = () =>
  database.asSuperuser(
    `select cardinality(members) as members, forgotten_at is not null as forgotten from gate.recipient_set where ${ours}`,
  )

const forget = (limitRows = 100) => forgetRecipients(database.db, lived.account, limitRows)

test('recipients are forgotten 90 days after the last proposal to them, but not while an action needs them', async () => {
  const id = await lived.propose()
  await age(91)
  expect(await forget()).toBe(0)
  await lived.cancel(id)
  await age(89)
  expect(await forget()).toBe(0)
  await age(91)
  expect(await forget()).toBe(1)
  expect(await sets()).toEqual([{ members: 0, forgotten: true }])
  expect(await verifyLedger(database.db, lived.account)).toMatchObject({ ok: true })
})

test('a proposal to forgotten recipients has them again, and reaches each of them', async () => {
  await lived.cancel(await lived.propose())
  await age(91)
  await forget()
  const frozen = recipientSets(database.db)
  const [{ roster_version: version }] = (await database.asSuperuser(
    `select roster_version from gate.account where ${ours}`,
  )) as [{ roster_version: string }]
  await frozen.freeze(lived.account, Number(version), 'preferred', ['slack', 'email'])
  expect(await sets()).toEqual([{ members: 2, forgotten: false }])
  await lived.execute(await lived.propose())
  expect(await verifyLedger(database.db, lived.account)).toMatchObject({ ok: true })
})

test('a process stores the recipients again after an hour, long before they can be forgotten', async () => {
  let now = 0
  const frozen = recipientSets(database.db, () => now)
  const freeze = () => frozen.freeze(lived.account, 1, 'preferred', ['slack', 'email'])
  const keptDaysAgo = async () => {
    const [row] = await database.asSuperuser(
      `select round(extract(epoch from now() - kept_at) / 86400)::integer as days from gate.recipient_set where ${ours}`,
    )
    return row!['days']
  }
  await freeze()
  await age(10)
  now = limits.recipientSetKeptMs - 1
  await freeze()
  expect(await keptDaysAgo()).toBe(10)
  now = limits.recipientSetKeptMs
  await freeze()
  expect(await keptDaysAgo()).toBe(0)
})

test('recipients are forgotten in bounded steps', async () => {
  await database.asSuperuser(`
    insert into gate.recipient_set (account_id, sha256, members, channels, addresses, kept_at)
    select '${lived.account}', sha256(n::text::bytea), '{mem}', '{slack}', '{U0}', now() - interval '100 days'
    from generate_series(1, 5) n`)
  expect(await forget(2)).toBe(2)
  expect(await forget(2)).toBe(2)
  expect(await forget(2)).toBe(1)
  expect(await forget(2)).toBe(0)
})

test('recipients are stored under no hash but their own, whether or not a set has it', async () => {
  await lived.propose()
  const [set] = await database.asSuperuser(
    `select encode(sha256, 'hex') as sha256 from gate.recipient_set where ${ours}`,
  )
  for (const sha256 of [String(set!['sha256']), '00'.repeat(32)])
    await expect(
      database.db.run(
        (sql) => sql`
          select gate.keep_recipients(
            p_account => ${lived.account}, p_sha256 => decode(${sha256}, 'hex'),
            p_members => ${['mem_x']}, p_channels => ${['slack']}, p_addresses => ${['U0EVE']})`,
      ),
    ).rejects.toMatchObject({ code: '23514' })
  expect(await verifyLedger(database.db, lived.account)).toMatchObject({ ok: true })
})

test('the database computes the hash of recipients as the service does, whatever their addresses are', async () => {
  const odd = ['a"b\\c', 'a\tb\u001fc\u007f', 'é😀\u2028/', '']
  const recipients = odd.map((address, n) => ({ memberId: `mem_${n}`, channel: 'email' as const, address }))
  for (const some of [recipients, []])
    await keepRecipients(database.db, lived.account, recipientsHash(some), some)
  expect(await verifyLedger(database.db, lived.account)).toMatchObject({ ok: true })
})

test('recipients that are gone while an action needs them are found', async () => {
  await lived.propose()
  await database.asSuperuser(
    `update gate.recipient_set set members = '{}', channels = '{}', addresses = '{}', forgotten_at = now() where ${ours}`,
  )
  expect(await verifyLedger(database.db, lived.account)).toMatchObject({
    ok: false,
    place: expect.stringMatching(/^recipients [0-9a-f]{16}$/),
  })
})

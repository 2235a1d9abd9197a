import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { type Verdict, verifyLedger } from '../../src/ledger/verify.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type Full, fullAccount } from './full-account.ts'
import { depsOf } from './lived-account.ts'
import { dropChecks, whileTampered } from './tampered.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
let deps: Deps
let full: Full
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  full = await fullAccount(deps)
  await dropChecks(database)
})
afterAll(async () => {
  await deps.close()
  await database.drop()
})

const verify = () => verifyLedger(database.db, full.account)

/** The verdict after each statement, one by one, in the order of the statements. */
async function verdictsOf(table: string, statements: string[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const statement of statements) {
    verdicts.push((await whileTampered(database, full.account, table, statement, verify))!)
  }
  return verdicts
}

test('an account with rows of every fate verifies', async () => {
  expect(await verify()).toMatchObject({ ok: true })
})

const other: Record<string, string> = {
  text: `coalesce($c, '') || 'x'`,
  integer: 'coalesce($c, 0) + 1',
  bigint: 'coalesce($c, 0) + 1',
  boolean: 'not $c',
  uuid: 'gen_random_uuid()',
  bytea: `sha256(coalesce($c, ''))`,
  json: `'{"forged":true}'`,
  'timestamp with time zone': `coalesce($c, clock_timestamp()) + interval '1 second'`,
}

// Ids of the row itself, marks of work that is under way, and what is derived of the payload.
const untold = [
  'account_id',
  'id',
  'command_id',
  'begun_at',
  'subject',
  'customer',
  'amount_cents',
  'amount_currency',
]

test('each column of each row is found at its row where it is changed, and where it is emptied', async () => {
  const columns = await database.asSuperuser(`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = 'gate' and table_name = 'action' order by ordinal_position`)
  const found: string[] = []
  const expected: string[] = []
  for (const { name, type } of columns as { name: string; type: string }[]) {
    if (untold.includes(name)) continue
    for (const [what, id] of Object.entries(full.rows)) {
      const changes = [other[type]!.replaceAll('$c', name)]
      const [row] = await database.asSuperuser(
        `select ${name} is null as empty from gate.action where account_id = '${full.account}' and id = ${id}`,
      )
      const [notNull] = await database.asSuperuser(
        `select attnotnull as it from pg_attribute where attrelid = 'gate.action'::regclass and attname = '${name}'`,
      )
      if (!row!['empty'] && !notNull!['it']) changes.push('null')
      const statements = changes.map(
        (to) => `update gate.action set ${name} = ${to} where $ours and id = ${id}`,
      )
      const verdicts = await verdictsOf('gate.action', statements)
      verdicts.forEach((verdict, n) => {
        const place = verdict.ok ? 'nothing' : verdict.place
        found.push(`${what} ${name} ${n}: ${place}`)
        expected.push(`${what} ${name} ${n}: action ${id}`)
      })
    }
  }
  expect(found).toEqual(expected)
  expect(found.length).toBeGreaterThan(400)
}, 240_000)

testRows<[string, keyof Full['rows'], string, string]>([
  [
    'payload with a digest that fits it',
    'open',
    'gate.action',
    `set payload = '{"message":"Dinner"}', digest = encode(sha256('x'), 'hex')`,
  ],
  [
    'member and digest rewritten together',
    'open',
    'gate.action',
    `set member = 'eve@example.com', digest = encode(sha256('x'), 'hex')`,
  ],
  ['payload that is gone without a word', 'executed', 'gate.action', `set payload = '{}', salt = null`],
  ['payload of a check', 'checked', 'gate.action', `set payload = '{"a":1}', salt = '\\x00'`],
  [
    'delivery that failed after all',
    'executed',
    'gate.delivery',
    `set states = array['failed'] where channel = 'slack'`,
  ],
  ['delivery of nobody', 'executed', 'gate.delivery', `set states = array[]::text[] where channel = 'email'`],
  ['consent request of another strength', 'asked', 'gate.consent_request', `set required = 'chat'`],
  ['consent request of another way', 'asked', 'gate.consent_request', `set via = 'slack'`],
  [
    'consent request of another time',
    'asked',
    'gate.consent_request',
    `set created_at = created_at + interval '1 hour'`,
  ],
  ['call with another answer', 'refunded', 'gate.provider_call', `set answer = '{"id":"re_2"}'`],
  ['call that came to nothing', 'refunded', 'gate.provider_call', `set state = 'not_done'`],
  [
    'call that was done after all',
    'refused',
    'gate.provider_call',
    `set state = 'ok', answer = '{"id":"re_2"}'`,
  ],
])('a changed column is found at its row', async (_, row, table, change) => {
  const id = full.rows[row]
  const idColumn = table === 'gate.action' ? 'id' : 'action_id'
  const [set, where = 'true'] = change.split(' where ')
  const statement = `update ${table} ${set} where $ours and ${idColumn} = ${id} and ${where}`
  const [verdict] = await verdictsOf(table, [statement])
  expect(verdict).toMatchObject({ ok: false, place: `action ${id}` })
})

test.each<[string, keyof Full['rows'], string, string]>([
  ['consent request', 'asked', 'gate.consent_request', 'a consent request taken away'],
  ['delivery', 'executed', 'gate.delivery', 'a delivery taken away'],
  ['call', 'refunded', 'gate.provider_call', 'a call taken away'],
])('a deleted %s is found at its row', async (_, row, table) => {
  const id = full.rows[row]
  const [verdict] = await verdictsOf(table, [`delete from ${table} where $ours and action_id = ${id}`])
  expect(verdict).toMatchObject({ ok: false, place: `action ${id}` })
})

test('a consent request without an entry is found at its action', async () => {
  const id = full.rows.open
  const columns = 'account_id, is_reminder, required, via, address, created_at, state, n'
  const statement = `
    insert into gate.consent_request (action_id, ${columns})
    select ${id}, ${columns} from gate.consent_request where $ours limit 1`
  const [verdict] = await verdictsOf('gate.consent_request', [statement])
  expect(verdict).toMatchObject({ ok: false, place: `action ${id}` })
})

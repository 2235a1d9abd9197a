import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import postgres from 'postgres'
import type { Deps } from '../../src/deps.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type Full, fullAccount } from '../ledger/full-account.ts'
import { depsOf } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type Parameter, jsonFieldsOf, serviceFunctions } from '../support/service-functions.ts'
import { seed, timeoutMs } from './runs.ts'

let database: TestDatabase
let deps: Deps
let service: postgres.Sql
let own: Full
let foreign: Full
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  service = postgres(database.serviceUrl, { max: 1, onnotice: () => {} })
  own = await fullAccount(deps)
  foreign = await fullAccount(deps)
}, 60_000)
afterAll(async () => {
  await service.end()
  await deps.close()
  await database.drop()
})

const hex = (bytes: Buffer) => `'\\x${bytes.toString('hex')}'::bytea`

/** Ids and texts of both accounts, and what no caller should send. */
function texts(): string[] {
  const ids = [own.ada, own.rea, own.keyId, own.former, own.admin, own.removedAdmin]
  const others = [foreign.account, foreign.ada, foreign.rea, foreign.keyId, foreign.admin]
  const words = [
    '',
    ' ',
    'x',
    'confirm',
    'cancel',
    'expire',
    'proposed',
    'executed',
    'page',
    'chat',
    'email',
    'slack',
  ]
  const hard = [
    "E'\\u200b'",
    "E'\\u202e'",
    "'%'",
    "'null'",
    "'{}'",
    "repeat('x', 300000)",
    "E'a\\r\\nb'",
    "'İ'",
    'null',
  ]
  return [
    ...[...ids, ...others, ...words, 'write', 'broadcast', 'refund', 'ada@example.com'].map(
      (id) => `'${id}'`,
    ),
    ...hard,
  ]
}

const json = [
  `'{}'`,
  `'[]'`,
  `'null'`,
  `'1'`,
  `'"x"'`,
  `'[null]'`,
  `'[[]]'`,
  `'[{}]'`,
  `'{"id":1}'`,
  `'{"__proto__":1}'`,
  `'{"a":1e400}'`,
  `E'"\\\\u0000"'`,
  `repeat('[', 5000) || repeat(']', 5000)`,
  `'{"message":"x"}'`,
  `'{"outcome":"done"}'`,
  'null',
]

function values(type: string): string[] {
  const bytes = [hex(own.keyHash), hex(foreign.keyHash), hex(randomBytes(32)), `''::bytea`, 'null']
  const rows = [...Object.values(own.rows), ...Object.values(foreign.rows)].slice(0, 12).map(String)
  const known: Record<string, string[]> = {
    text: texts(),
    bytea: bytes,
    uuid: ['gen_random_uuid()', `'00000000-0000-0000-0000-000000000000'::uuid`, 'null'],
    bigint: [...rows, '0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993', 'null'],
    integer: ['0', '1', '2', '-1', '100', '2147483647', '-2147483648', 'null'],
    boolean: ['true', 'false', 'null'],
    json: json.map((one) => `(${one})::json`),
    jsonb: json.map((one) => `(${one})::jsonb`),
    'timestamp with time zone': ['clock_timestamp()', `'infinity'`, `'-infinity'`, `'epoch'`, 'null'].map(
      (at) => `${at}::timestamptz`,
    ),
  }
  if (type.endsWith('[]')) {
    const one = values(type.slice(0, -2)).slice(0, 8)
    return [
      'null',
      `'{}'`,
      ...one.map((value) => `array[${value}]`),
      `array[${one[0]}, null, ${one[1]}]`,
    ].map((array) => `(${array})::${type}`)
  }
  return known[type] ?? ['null']
}

/** One value of a parameter; of a JSON argument mostly an object with its fields, some of them missing or strange. */
function valueOf({ name, type }: Parameter, fields: Map<string, Parameter[]>): fc.Arbitrary<string> {
  if (name === 'p_account')
    return fc.constantFrom(
      `'${own.account}'`,
      `'${own.account}'`,
      `'${own.account}'`,
      `'acct_Nobody0000000000'`,
      'null',
    )
  const plain = fc.constantFrom(...values(type))
  const known = type === 'jsonb' ? fields.get(name) : undefined
  if (!known) return plain
  const object = fc
    .tuple(...known.map((field) => fc.tuple(fc.nat(19), valueOf(field, fields))))
    .map((chosen) =>
      chosen
        .flatMap(([luck, value], at) => (luck === 0 ? [] : [`'${known[at]!.name.slice(2)}', ${value}`]))
        .join(', '),
    )
    .map((pairs) => `jsonb_build_object(${pairs})`)
  return fc.oneof({ weight: 8, arbitrary: object }, plain)
}

/**
 * How a call may end: data that does not fit, a broken constraint, a credential that does not suffice, nothing found. No fault of
 * the function itself, such as a row too many or a case that is missing.
 */
const isProper = (code: string): boolean => /^(22|23|GA4|42501$|P0002$)/.test(code)

/** Every row of an account, wherever it is. */
async function stateOf(account: string): Promise<Record<string, unknown>> {
  const tables = await database.asSuperuser(
    `select table_name as name from information_schema.columns
     where table_schema = 'gate' and column_name = 'account_id' order by 1`,
  )
  const sums = tables.map(
    ({ name }) =>
      `(select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '')
        from gate.${name} t where account_id = '${account}') as "${name}"`,
  )
  const [row] = await database.asSuperuser(`select ${sums.join(', ')}`)
  return row!
}

const rounds = Number(process.env['FUZZ_RUNS'] ?? 25)

test(
  `whatever a function is called with, it refuses properly, and other accounts and the chain stay as they are (SEED=${seed})`,
  async () => {
    const fields = await jsonFieldsOf(database)
    const before = await stateOf(foreign.account)
    const improper: string[] = []
    const done = new Set<string>()
    for (const { name, parameters } of await serviceFunctions(database)) {
      const calls = fc.sample(fc.tuple(...parameters.map((parameter) => valueOf(parameter, fields))), {
        seed,
        numRuns: rounds,
      })
      for (const chosen of calls) {
        const call = `gate.${name}(${chosen.map((value, at) => `${parameters[at]!.name} => ${value}`).join(', ')})`
        await service.unsafe(`select ${call}`).then(
          () => done.add(name),
          ({ code, message }: { code: string; message: string }) => {
            if (!isProper(code)) improper.push(`${name}: ${code} ${message}`)
          },
        )
      }
      expect({ after: name, state: await stateOf(foreign.account) }).toEqual({ after: name, state: before })
      const verdict = await verifyLedger(database.db, own.account)
      if (!verdict?.ok) throw new Error(`after ${name}: ${JSON.stringify(verdict)}`)
    }
    expect([...new Set(improper)]).toEqual([])
    // The calls are no nonsense: many of the functions did something.
    expect(done.size).toBeGreaterThan(20)
  },
  timeoutMs + rounds * 10_000,
)

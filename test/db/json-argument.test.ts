import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { jsonArgument } from '../../src/db/json-argument.ts'
import { freshDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a JSON argument arrives as it was given: bytes, texts with any character, numbers, null', async () => {
  const given = {
    bytes: Buffer.from([0, 0x5c, 0xff]),
    text: String.raw`a"b\u0000 \x00 ☃ 𝄞` + '\n',
    count: Number.MAX_SAFE_INTEGER,
    nothing: null,
  }
  const rows = await database.db.read<typeof given>(
    (sql) => sql`
      select * from jsonb_to_record(${jsonArgument(given)}::text::jsonb)
        as r(bytes bytea, text text, count bigint, nothing jsonb)`,
  )
  expect(rows).toEqual([given])
})

test('a lone surrogate becomes U+FFFD, as in a parameter of its own', async () => {
  const rows = await database.db.read<{ alone: string; inside: string }>(
    (sql) =>
      sql`select ${'x\ud800y'}::text as alone, ${jsonArgument({ text: 'x\ud800y' })}::text::jsonb ->> 'text' as inside`,
  )
  expect(rows).toEqual([{ alone: 'x\ufffdy', inside: 'x\ufffdy' }])
})

test.each([
  ['propose', "gate.propose('acct_0000000000000000', $1)"],
  ['claim', "gate.claim_decision('acct_0000000000000000', 1, 'confirm', $1)"],
  ['consent request', "gate.request_consent('acct_0000000000000000', 1, $1)"],
])('a %s with a misspelled field is refused, instead of read as null', async (_what, call) => {
  const text = `select * from ${call.replace('$1', `'{"kee": null}'`)}`
  await expect(database.asSuperuser(text)).rejects.toThrow(/^missing or unknown fields: .*\bkee\b/)
})

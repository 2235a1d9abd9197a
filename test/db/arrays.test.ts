import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseTexts, serializeTexts } from '../../src/db/pool.ts'
import { anyCharacter } from '../support/any-character.ts'
import { freshDatabase } from '../support/database.ts'

// NUL and lone surrogates are no text to PostgreSQL.
const texts = fc.array(
  fc.oneof(
    fc.constantFrom('', 'NULL', '{}', '"', '\\', ',', ' a ', '\n', '\u{1F600}', "'"),
    fc.string({ unit: anyCharacter }).map((text) => text.replaceAll('\0', '')),
  ),
  { maxLength: 20 },
)

test('an array of any texts comes back from PostgreSQL as it went', async () => {
  const database = await freshDatabase()
  const property = fc.asyncProperty(texts, async (sent) => {
    const rows = await database.db.run<{ back: string[] }>((sql) => sql`select ${sent}::text[] as back`)
    expect(rows[0]!.back).toEqual(sent)
  })
  await fc.assert(property, { numRuns: 200 })
  const uuids = ['436f269b-25c2-499e-9157-09b63468d1cf', '11d72f14-649d-448f-86eb-dbb19565e69d']
  const rows = await database.db.run<{ back: string[] }>((sql) => sql`select ${uuids}::uuid[] as back`)
  expect(rows[0]!.back).toEqual(uuids)
  await database.drop()
})

test('a written array is read again without a database too', () => {
  fc.assert(fc.property(texts, (sent) => void expect(parseTexts(serializeTexts(sent))).toEqual(sent)))
})

import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { email, line, slackId } from '../../src/operations/entered-fields.ts'
import { limits } from '../../src/limits.ts'
import { csvHeader, csvLine, parseMembersCsv } from '../../src/operations/members/members-csv.ts'
import { bounded, hostileTexts, seed } from './runs.ts'
import { anyCharacter } from '../support/any-character.ts'

const name = line(limits.nameCharsMax)
const cells = fc.oneof(
  fc.constantFrom(
    ...hostileTexts,
    '"',
    '""',
    ',',
    ';',
    '\t',
    '\r',
    '\n',
    '=1+1',
    "'=1",
    '@x',
    'ada@example.com',
    'U0ADA',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const files = fc
  .tuple(
    fc.constantFrom(
      'name,email,slack',
      'name;email',
      'NAME\tSLACK',
      '\uFEFFname,email,slack',
      '',
      'name,name',
      '__proto__,name',
    ),
    fc.constantFrom('\r\n', '\n', '\r'),
    fc.array(
      fc.array(cells, { maxLength: 4 }).map((row) => row.join(',')),
      { maxLength: 8 },
    ),
  )
  .map(([header, end, rows]) => [header, ...rows].join(end))

test(`whatever file is imported, it is read or refused line by line, and only valid members come of it (SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.oneof(files, fc.string({ unit: anyCharacter, maxLength: 400 })), (text) => {
      const { members, problems } = parseMembersCsv(text)
      for (const member of members) {
        expect(name.safeParse(member.name).data).toBe(member.name)
        expect(member.email === null || email.safeParse(member.email).success).toBe(true)
        expect(member.slack === null || slackId.safeParse(member.slack).success).toBe(true)
      }
      for (const { problem } of problems) expect(problem).toMatch(/\.$|teams$/)
      const lines = members.map(({ line: at }) => at)
      expect(new Set(lines).size).toBe(lines.length)
    }),
    bounded(3_000),
  )
})

const members = fc.record({
  name: fc
    .oneof(
      fc.constantFrom('=1', "'=1", "''@x", '-x', '"', 'a"b', 'a,b', 'a;b', "'", '+', 'Zoë; the first'),
      cells,
    )
    .filter((given) => name.safeParse(given).data === given && !given.includes('\uFFFD')),
  email: fc.constantFrom(null, 'ada@example.com', '=x@example.com', "'+x@example.com", '-x@example.com'),
  slack: fc.constantFrom(null, 'U0ADA'),
  teams: fc.constantFrom(null, '0b9a1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b'),
})

test(`a member that is exported is imported as the same, and no spreadsheet runs its cells (SEED=${seed})`, () => {
  fc.assert(
    fc.property(members, (member) => {
      const file = csvHeader + csvLine(member)
      expect(parseMembersCsv(file)).toMatchObject({ problems: [], members: [member] })
      expect(csvLine(member).split(/[,\r]/)[0]).not.toMatch(/^"?[=+\-@\t]/)
    }),
    bounded(3_000),
  )
})

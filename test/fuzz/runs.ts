import fc from 'fast-check'
import { anyCharacter } from '../support/any-character.ts'

/** Repeats a run: it is in the name of each test. */
export const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)

/**
 * How often a property is tried, and for how long at most. `FUZZ_RUNS` sets how often, and then takes as long as it takes.
 * @param runs  what fits into the usual time
 * @param timeLimitMs  null: none, where a test asserts how much was tried
 */
export function bounded<T>(runs: number, timeLimitMs: number | null = 12_000): fc.Parameters<T> {
  const given = process.env['FUZZ_RUNS']
  if (given) return { seed, numRuns: Number(given), endOnFailure: false }
  const bounds = { seed, numRuns: runs, endOnFailure: false }
  return timeLimitMs === null ? bounds : { ...bounds, interruptAfterTimeLimit: timeLimitMs }
}

/** For jest: longer than a run may take. */
export const timeoutMs = process.env['FUZZ_RUNS'] ? Number(process.env['FUZZ_RUNS']) * 2_000 : 90_000

/** Texts that parsers, databases and screens stumble over. */
export const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u2066',
  '\u200b',
  '\ufeff',
  '\u0007\u001b[2J',
  '\r\n',
  '\u2028\u2029',
  '__proto__',
  'constructor',
  "'; drop table gate.action; --",
  '%',
  '%00',
  '../../etc/passwd',
  '{"a":1}',
  '[object Object]',
  'null',
  'NaN',
  '-1',
  '1e400',
  '0x10',
  '9'.repeat(400),
  'a'.repeat(5_000),
  '😀'.repeat(2_000),
  'é'.normalize('NFD').repeat(500),
  '│ Approved by the gate',
  '⟨U+202E⟩',
  'İ',
  'ß',
  '\u{e0041}',
  '💩\u200d'.repeat(100),
]

const hostileNumbers = [
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1e308,
  5e-324,
  Number.MAX_SAFE_INTEGER,
]

export const hostileTimes = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '1969-12-31T23:59:59.999Z',
  '2026-02-29T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-23:59',
  '2026-01-01T00:00:00.000000000000001Z',
  '2026-01-01',
  '+275760-09-13T00:00:00Z',
  '2026-01-01T00:00:00',
]

/** A value of any form. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...hostileNumbers, true, false, null) },
  { weight: 1, arbitrary: fc.constantFrom(...hostileTimes) },
  { weight: 2, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: anyCharacter }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>([], {}, [[]], { $ne: null }, [null], { length: 1e9 }) },
)

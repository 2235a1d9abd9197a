import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { matchesGlob } from '../../../src/gate/runner-calls/glob.ts'
import { testRows } from '../../support/rows.ts'

testRows([
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['*', 'a/b\nc', true],
  ['?', '', false],
  ['?', 'a', true],
  ['Bash', 'Bash', true],
  ['Bash', 'bash', false],
  ['Bash', 'Bash ', false],
  ['Bash', 'B\u200bash', false],
  ['mcp__*', 'mcp__a__b', true],
  ['*__write_*', 'mcp__fs__write_file', true],
  ['a*a', 'a', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b?d*', 'abxdbcd', true],
  ['*ab?', 'ababab', false],
  ['a.c', 'abc', false],
  ['[a]', 'a', false],
  ['(a+)+$', 'aaaa', false],
  [`*${'x'.repeat(40)}?y*`, `${'x'.repeat(41)}zy`, true],
])('a pattern matches as it says', (glob, text, expected) => {
  expect(matchesGlob(glob, text)).toBe(expected)
})

test('matches as the regular expression of the same meaning does', () => {
  const parts = fc.constantFrom('a', 'b', 'ab', '*', '?', 'aab'.repeat(15))
  const globs = fc.array(parts, { maxLength: 8 }).map((p) => p.join(''))
  const texts = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'aab'.repeat(15), '\n'), { maxLength: 12 })
    .map((p) => p.join(''))
  fc.assert(
    fc.property(globs, texts, (glob, text) => {
      const same = new RegExp(`^${glob.replaceAll(/\*+/g, '.*').replaceAll('?', '.')}$`, 's')
      expect(matchesGlob(glob, text)).toBe(same.test(text))
    }),
    { numRuns: 3000 },
  )
})

test('a glob of 500 characters over a text of 131,072 that nearly matches everywhere is decided', () => {
  expect(matchesGlob(`*${'a'.repeat(497)}b*`, 'a'.repeat(131_072))).toBe(false)
  expect(matchesGlob('*a'.repeat(249) + '*b', 'a'.repeat(131_072))).toBe(false)
})

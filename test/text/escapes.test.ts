import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { escapeInvisibleLines, readEscapes } from '../../src/text/escape-invisible.ts'

test('a text is read back from its escapes as it was, also one that looks escaped already', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\u202E',
      '⟨U+202E⟩',
      '⟨',
      '⟩',
      'U+0041',
      '\n',
      '\t',
      '👩\u200D💻',
      '\u0301',
      '⟨U+110000⟩',
    ),
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join('').toWellFormed()
      expect(readEscapes(escapeInvisibleLines(text))).toBe(text)
    }),
  )
  expect(readEscapes('⟨U+110000⟩ ⟨U+41⟩')).toBe('⟨U+110000⟩ ⟨U+41⟩')
})

import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fitsTemplate, whyNoTemplate } from '../../../src/gate/mandates/template.ts'
import { testRows } from '../../support/rows.ts'

testRows([
  ['Order {number} has shipped to {word}.', undefined],
  ['Grüße, {word}!\nBis morgen', 'has a character that cannot be seen'],
  ['{number}{word}', 'needs a space or another sign behind {number}'],
  ['{word}s', 'needs a space or another sign behind {word}'],
  ['{number}th', undefined],
  ['{id}-{id}', 'needs a space or another sign behind {id}'],
  ['{name} has shipped', 'has braces'],
  ['{number', 'has braces'],
  ['a\u200bb', 'has a character that cannot be seen'],
  ['a\u202eb', 'has a character that cannot be seen'],
  ['a\u00a0b', 'has a character that cannot be seen'],
  ['a\u0301b', 'has a character that cannot be seen'],
] as [string, string | undefined][])(
  'a template needs braces that are placeholders, nothing unseen, and a sign behind a placeholder that cannot be part of it',
  (template, problem) => {
    const why = whyNoTemplate(template)
    if (problem === undefined) expect(why).toBeUndefined()
    else expect(why).toContain(problem)
  },
)

const plain = fc.stringMatching(/^[a-z,. ]{1,12}$/)
const filled = {
  number: fc.stringMatching(/^[0-9]{1,40}$/),
  word: fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
  id: fc.stringMatching(/^[\w-]{1,40}$/),
}
const pieces = fc.array(
  fc.tuple(
    plain,
    fc.oneof(
      ...(['number', 'word', 'id'] as const).map((name) => filled[name].map((text) => ({ name, text }))),
    ),
  ),
  { maxLength: 5 },
)

test('what was made of a template fits it, and with any other character in it does not', () => {
  fc.assert(
    fc.property(
      pieces,
      fc.nat(),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      (made, at, other) => {
        const template = `${made.map(([text, { name }]) => `${text}{${name}} `).join('')}end.`
        const text = `${made.map(([before, fill]) => `${before}${fill.text} `).join('')}end.`
        expect(whyNoTemplate(template)).toBeUndefined()
        expect(fitsTemplate(template, text)).toBe(true)
        if (/^[\w,. -]$/.test(other)) return
        const place = at % (text.length + 1)
        expect(fitsTemplate(template, `${text.slice(0, place)}${other}${text.slice(place)}`)).toBe(false)
        expect(fitsTemplate(template, `${text.slice(0, place)}${other}${text.slice(place + 1)}`)).toBe(false)
      },
    ),
  )
})

test('a template is read in time that grows with the text alone', () => {
  const template = '{word} '.repeat(140)
  const text = `${'a'.repeat(40)} `.repeat(139)
  expect(fitsTemplate(template, text + 'a'.repeat(100_000))).toBe(false)
  expect(fitsTemplate(template, text + `${'a'.repeat(40)} `)).toBe(true)
})

import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isNestedWithin, isStorableJson } from '../../src/gate/json/json-shape.ts'

/** A value of which something is exactly `levels` deep, and a text is somewhere at the end. */
const nested = (levels: number, end: unknown, isList: (level: number) => boolean): unknown => {
  let value = end
  for (let level = 0; level < levels; level++) value = isList(level) ? [1, value] : { a: null, b: value }
  return value
}

const levels = fc.nat(40)
const shape = fc.func(fc.boolean())

describe('how deep JSON is nested', () => {
  test('is counted in lists and objects, and a text, a number or null is none', () =>
    fc.assert(
      fc.property(levels, shape, fc.oneof(fc.string(), fc.integer(), fc.constant(null)), (n, isList, end) => {
        const value = nested(n, end, isList)
        expect([isNestedWithin(value, n), isStorableJson(value, n)]).toEqual([true, true])
        if (n > 0)
          expect([isNestedWithin(value, n - 1), isStorableJson(value, n - 1)]).toEqual([false, false])
      }),
    ))

  test('counts an empty list and an empty object too', () => {
    for (const empty of [[], {}])
      expect([isNestedWithin(empty, 0), isNestedWithin(empty, 1), isNestedWithin([empty], 1)]).toEqual([
        false,
        true,
        false,
      ])
  })

  test('is within more levels if it is within some', () =>
    fc.assert(
      fc.property(fc.jsonValue(), levels, (value, n) => {
        if (isNestedWithin(value, n)) expect(isNestedWithin(value, n + 1)).toBe(true)
      }),
    ))

  test('is answered for what would run a check out of stack', () => {
    const deep = nested(1_000_000, 'end', (level) => level % 2 === 0)
    expect([isNestedWithin(deep, 64), isStorableJson(deep, 64)]).toEqual([false, false])
  })
})

describe('what PostgreSQL stores of JSON', () => {
  const bad = fc.constantFrom('\0', 'a\0b', '\uD800', 'a\uDC00', '\uDC00\uD800')
  const good = fc.constantFrom('', 'a', '\\u0000', '\\\\u0000', '😀', '\u2028', '\u007f', '__proto__')

  test('has no NUL and no half of a surrogate pair, as text or as a name, at any depth', () =>
    fc.assert(
      fc.property(levels, shape, bad, (n, isList, text) => {
        expect(isStorableJson(nested(n, text, isList), 99)).toBe(false)
        expect(isStorableJson(nested(n, { [text]: 1 }, isList), 99)).toBe(false)
      }),
    ))

  test('has every other text', () =>
    fc.assert(
      fc.property(levels, shape, good, (n, isList, text) => {
        expect(isStorableJson(nested(n, { [text]: text }, isList), 99)).toBe(true)
      }),
    ))

  test('has everything that JSON text of valid Unicode without NUL can say', () =>
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const hasNul = /(?<!\\)(?:\\\\)*\\u0000/.test(JSON.stringify(value))
        expect(isStorableJson(value, 99)).toBe(!hasNul)
      }),
    ))
})

import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Json, canonical } from '../../src/gate/canonical.ts'
import { anyCharacter } from '../support/any-character.ts'
import { testRows } from '../support/rows.ts'

const unicode = fc.string({ unit: anyCharacter, maxLength: 12 }).filter((text) => text.isWellFormed())
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    unicode,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(unicode, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

test('the example of RFC 8785 §3.2.2 comes out byte for byte', () => {
  const given: Json = {
    numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"\u002f',
    literals: [null, true, false],
  }
  expect(canonical(given)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
})

test('keys are sorted by UTF-16 code units, as in RFC 8785 §3.2.3', () => {
  const given: Json = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\u{1f600}': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  }
  expect(Object.values(JSON.parse(canonical(given)) as object)).toHaveLength(7)
  const order = [...canonical(given).matchAll(/:"([^"]+)"/g)].map((match) => match[1])
  expect(order).toEqual([
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ])
})

// IEEE 754 bits and what RFC 8785 appendix B writes for them.
testRows([
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
])('a number is written as RFC 8785 writes it', (bits, written) => {
  expect(canonical(Buffer.from(bits, 'hex').readDoubleBE())).toBe(written)
})

test('a text that is written is read back as the same value', () => {
  fc.assert(
    fc.property(json, (value) => expect(JSON.parse(canonical(value))).toEqual(withoutMinusZero(value))),
  )
})

test('the order in which properties were set does not show', () => {
  fc.assert(
    fc.property(fc.dictionary(unicode, json, { maxKeys: 6, noNullPrototype: true }), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse())
      expect(canonical(turned)).toBe(canonical(value))
    }),
  )
})

test('there is no white space outside of strings', () => {
  expect(canonical({ a: [1, { b: 'c d' }], e: {} })).toBe('{"a":[1,{"b":"c d"}],"e":{}}')
})

test.each([
  ['not a number', Number.NaN],
  ['infinity', [Infinity]],
  ['a lone surrogate', { a: '\ud800' }],
  ['a lone surrogate in a key', { '\udfff': 1 }],
] as [string, Json][])('%s is refused, since JSON cannot say it', (_what, value) => {
  expect(() => canonical(value)).toThrow(TypeError)
})

test('a property that is undefined is left out', () => {
  expect(canonical({ a: undefined, b: 1 })).toBe('{"b":1}')
})

function withoutMinusZero(value: Json): Json {
  if (Object.is(value, -0)) return 0
  if (Array.isArray(value)) return value.map(withoutMinusZero)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, withoutMinusZero(v as Json)]))
}

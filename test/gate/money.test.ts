import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { currencies, formatAmount, isCurrency } from '../../src/gate/money.ts'

test('an amount for people holds every cent, up to the largest whole number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (cents) => {
      const digits = formatAmount(cents, 'usd').replace(' USD', '').replaceAll(/[,.]/g, '')
      expect(BigInt(digits)).toBe(BigInt(cents))
    }),
  )
})

test.each([
  [0, 'usd', '0.00 USD'],
  [5, 'eur', '0.05 EUR'],
  [100, 'usd', '1.00 USD'],
  [123_456, 'usd', '1,234.56 USD'],
  [100_000_000, 'sek', '1,000,000.00 SEK'],
])('%i cents of %s read %s', (cents, currency, text) => {
  expect(formatAmount(cents, currency)).toBe(text)
})

test('only currencies of two decimals are weighed', () => {
  expect(currencies.every(isCurrency)).toBe(true)
  for (const other of ['jpy', 'krw', 'kwd', 'USD', '', 'constructor']) expect(isCurrency(other)).toBe(false)
})

import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { amountText, currencies, formatAmount, isCurrency, parseAmount } from '../../src/gate/money.ts'
import { testRows } from '../support/rows.ts'

test('an amount for people holds every cent, up to the largest whole number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (cents) => {
      const digits = formatAmount(cents, 'usd').replace(' USD', '').replaceAll(/[,.]/g, '')
      expect(BigInt(digits)).toBe(BigInt(cents))
    }),
  )
})

testRows([
  [0, 'usd', '0.00 USD'],
  [5, 'eur', '0.05 EUR'],
  [100, 'usd', '1.00 USD'],
  [123_456, 'usd', '1,234.56 USD'],
  [100_000_000, 'sek', '1,000,000.00 SEK'],
])('cents read as an amount of their currency', (cents, currency, text) => {
  expect(formatAmount(cents, currency)).toBe(text)
})

test('only currencies of two decimals are weighed', () => {
  expect(currencies.every(isCurrency)).toBe(true)
  for (const other of ['jpy', 'krw', 'kwd', 'USD', '', 'constructor']) expect(isCurrency(other)).toBe(false)
})

test('an amount as a form shows it, and as people read it, is read as the same amount', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999_999_999 }), (cents) => {
      expect(parseAmount(amountText(cents))).toBe(cents)
      expect(parseAmount(formatAmount(cents, 'usd').replace(' USD', ''))).toBe(cents)
    }),
  )
})

testRows([
  ['100', 10_000],
  ['0.5', 50],
  [' 1,250.50 ', 125_050],
  ['1,250', undefined],
  ['12,50', undefined],
  ['1,2500.00', undefined],
  ['1.234', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['.5', undefined],
  ['9'.repeat(16), undefined],
  ['9'.repeat(15), undefined],
])('an entered amount is read as cents', (text, cents) => {
  expect(parseAmount(text)).toBe(cents)
})

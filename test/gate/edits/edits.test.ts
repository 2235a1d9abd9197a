import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { changesBetween } from '../../../src/gate/edits/changes.ts'
import {
  type EditableField,
  factsAfter,
  shownField,
  withEntered,
} from '../../../src/gate/edits/editable-fields.ts'
import { canonical } from '../../../src/gate/canonical.ts'
import { amountText, formatAmount } from '../../../src/gate/money.ts'

const amount: EditableField = {
  at: '/amount_cents',
  label: 'Amount',
  way: 'lower',
  currency: 'usd',
  leaves: 'Left',
}
const message: EditableField = { at: '/message', label: 'Message', way: 'text' }
const cents = fc.integer({ min: 1, max: 99_999_999_999 })

test('whatever is entered, an amount only goes down, and no other field is touched', () => {
  const entered = fc.record({
    amount_cents: fc.oneof(fc.string(), cents.map(amountText), fc.constantFrom('0', '-1', '1,000.00', ' 5 ')),
    payment: fc.string(),
    __proto__: fc.string(),
  })
  fc.assert(
    fc.property(cents, entered, (was, given) => {
      const payload = { amount_cents: was, payment: 'pi_1' }
      const made = withEntered(payload, [amount], given)
      if ('problem' in made) return made.problem.name === 'amount_cents'
      const { amount_cents: becomes, ...others } = made.payload
      expect(others).toEqual({ payment: 'pi_1' })
      return Number.isSafeInteger(becomes) && Number(becomes) >= 1 && Number(becomes) <= was
    }),
  )
})

test('a form that is sent as it was shown changes nothing, by whichever line ends', () => {
  const lines = fc.array(fc.constantFrom('a', ' ', '\n', '\r\n', '🙂')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(cents, lines, (amount_cents, text) => {
      const payload = { amount_cents, message: text }
      const shown = [amount, message].map((field) => shownField(field, payload))
      const sent = Object.fromEntries(
        shown.map(({ name, text: value }) => [name, value.replaceAll(/\r?\n/g, '\r\n')]),
      )
      expect(withEntered(payload, [amount, message], sent)).toEqual({ payload })
    }),
  )
})

test('what is left grows by as much as the amount is lowered; what cannot be computed is left out', () => {
  const after = (left: string) =>
    factsAfter(
      [
        ['Paid', '90.00 USD'],
        ['Left', left],
      ],
      [amount],
      { amount_cents: 9_000 },
      { amount_cents: 1 },
    )
  expect(after(formatAmount(123_456, 'usd'))).toEqual([
    ['Paid', '90.00 USD'],
    ['Left', '1,324.55 USD'],
  ])
  expect(after('unknown')).toEqual([['Paid', '90.00 USD']])
  expect(factsAfter(null, [amount], {}, {})).toBeNull()
})

test('the changes are exactly the fields that differ', () => {
  const payload = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<any>,
  )
  fc.assert(
    fc.property(payload, payload, (was, becomes) => {
      const changes = changesBetween(was, becomes)
      let made: Record<string, unknown> = { ...was }
      for (const { field, ...change } of changes) {
        expect(canonical((was[field] ?? null) as never)).toBe(canonical((change.from ?? null) as never))
        const { [field]: _former, ...others } = made
        made = 'to' in change ? { ...others, [field]: change.to } : others
      }
      expect(canonical(made as never)).toBe(canonical(becomes as never))
      const textOf = (value: unknown) => (value === undefined ? '' : canonical(value as never))
      expect(changes.filter(({ from, to }) => textOf(from) === textOf(to))).toEqual([])
    }),
  )
})

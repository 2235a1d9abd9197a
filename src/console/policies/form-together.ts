import { GateError } from '../../errors.ts'
import { amountText } from '../../gate/money.ts'
import { limits } from '../../limits.ts'
import type { RejectedForm } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { table } from '../parts.ts'
import { amountInput, currencyChoices, picker } from './controls.ts'
import { type Fields, parseAmountField, usdFirst } from './form-values.ts'

// The amounts up to which one press approves several actions, as rows of the form of the settings.

const setting = 'together_up_to_cents'
const rowForm = /^together_up_to_cents\.(0|[1-9]\d{0,2})\.(currency|amount)$/

/** Whether a field of a form is of such a row. Pure. */
export const isTogetherField = (name: string): boolean =>
  Number(rowForm.exec(name)?.[1] ?? Infinity) < limits.policyFormRowsMax

/** The initial fields of the form. Pure. */
export const togetherFields = (most: Record<string, number> | null | undefined): Fields =>
  Object.fromEntries(
    usdFirst(Object.entries(most ?? {})).flatMap(([currency, cents], n) => [
      [`${setting}.${n}.currency`, currency],
      [`${setting}.${n}.amount`, amountText(cents)],
    ]),
  )

/**
 * What a form sets: null where all its rows are empty, nothing where it has none.
 * @throws GateError `invalid` with the field that cannot be read
 */
export function parseTogetherFields(fields: Fields): { [setting]?: Record<string, number> | null } {
  const count = countRows(fields)
  if (count === 0) return {}
  const rows = Array.from({ length: count }, (_, n) => {
    const param = `${setting}.${n}.amount`
    const text = fields[param]?.trim() ?? ''
    if (text === '') return []
    const cents = parseAmountField(text, 'Approve several at once', param)
    return [[fields[`${setting}.${n}.currency`] ?? '', cents] as const]
  }).flat()
  if (rows.length === 0) return { [setting]: null }
  const amounts = Object.fromEntries(rows)
  if (Object.keys(amounts).length === rows.length) return { [setting]: amounts }
  throw new GateError('invalid', 'Two amounts are of the same currency. Remove one of them.', {
    param: `${setting}.0.amount`,
  })
}

/** The rows, and some empty ones. */
export const togetherPart = (fields: Fields, rejected: RejectedForm | undefined): Html =>
  html`<p>
      One press can approve several actions of up to these amounts each; a higher one is approved on its own.
      Without an amount, no action is too high.
    </p>
    ${table(
      'Approve several at once',
      ['Currency', 'Up to'],
      Array.from({ length: countRows(fields, true) + limits.emptyTogetherRows }, (_, n) => {
        const named = (name: string, label: string) => ({
          name: `${setting}.${n}.${name}`,
          label: `${label} of amount ${n + 1} to approve several at once`,
          value: fields[`${setting}.${n}.${name}`] ?? '',
          rejected,
        })
        return [
          picker({ ...named('currency', 'Currency'), choices: currencyChoices }),
          amountInput({ ...named('amount', 'Limit'), placeholder: 'no limit' }),
        ]
      }),
    )}`

/** With `isFilled` only up to the last row that has an amount. */
function countRows(fields: Fields, isFilled = false): number {
  const rows = Object.entries(fields).flatMap(([name, value]) => {
    const found = rowForm.exec(name)
    return !found || (isFilled && (value === '' || found[2] !== 'amount')) ? [] : [Number(found[1]) + 1]
  })
  return Math.max(0, ...rows)
}

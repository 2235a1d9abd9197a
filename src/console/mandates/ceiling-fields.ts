import { GateError } from '../../errors.ts'
import { amountText, parseAmount } from '../../gate/money.ts'
import type { CentsByCurrency, MandateCeiling } from '../../gate/mandates/terms.ts'
import { limits } from '../../limits.ts'
import { type Fields, parseNumber, usdFirst } from '../policies/form-values.ts'

// What the policy allows mandates for a kind to be, as fields of a form and back.

/** The amounts of a row of the form: of a document's fields, with their labels. */
export const amountLabels = {
  cents_each: 'Each action',
  cents: 'In all',
  cents_per_day: 'A day',
} as const
export type AmountName = keyof typeof amountLabels
const amountNames = Object.keys(amountLabels) as AmountName[]
const counts = ['uses', 'uses_per_day', 'days'] as const

const rowForm = /^amount\.(0|[1-9]\d?)\.(currency|cents_each|cents|cents_per_day)$/

/** The initial fields of the form. Pure. @param ceiling  undefined: there are no mandates for the kind */
export function ceilingFields(ceiling: MandateCeiling | undefined, version: number): Fields {
  const named = new Set(amountNames.flatMap((name) => Object.keys(ceiling?.[name] ?? {})))
  return {
    version: String(version),
    allowed: ceiling ? 'yes' : 'no',
    consent: ceiling?.consent ?? 'page',
    counts_as: ceiling?.counts_as ?? '',
    ...Object.fromEntries(counts.map((name) => [name, ceiling ? String(ceiling[name]) : ''])),
    ...Object.assign(
      {},
      ...usdFirst([...named].map((currency) => [currency, null])).map(([currency], n) => ({
        [`amount.${n}.currency`]: currency,
        ...Object.fromEntries(
          amountNames.map((name) => {
            const cents = ceiling?.[name]?.[currency]
            return [`amount.${n}.${name}`, cents === undefined ? '' : amountText(cents)]
          }),
        ),
      })),
    ),
  }
}

/** The rows that the form has: those that are filled, and some empty ones. Pure. */
export function ceilingRows(fields: Fields): number[] {
  const filled = Object.entries(fields).flatMap(([name, value]) => {
    const found = rowForm.exec(name)
    return !found || value.trim() === '' || found[2] === 'currency' ? [] : [Number(found[1]) + 1]
  })
  return Array.from({ length: Math.max(0, ...filled) + limits.emptyTogetherRows }, (_, n) => n)
}

/**
 * What the form says of a kind, as the policy's document has it; null: no mandates.
 * @throws GateError `invalid` with the field that is unknown or cannot be read
 */
export function ceilingOf(fields: Fields): unknown {
  const known = ['version', 'allowed', 'consent', 'counts_as', 'note', ...counts]
  const unknown = Object.keys(fields).find((name) => !known.includes(name) && !rowForm.test(name))
  if (unknown !== undefined) throw invalid(`unknown field ${unknown.slice(0, limits.formNameEchoCharsMax)}.`)
  if (fields['allowed'] !== 'yes') return null
  const numbers = counts.flatMap((name) => {
    const value = parseNumber(fields, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    consent: fields['consent'],
    ...(fields['counts_as'] ? { counts_as: fields['counts_as'] } : {}),
    ...Object.fromEntries(numbers),
    ...Object.fromEntries(
      amountNames.flatMap((name) => {
        const cents = centsOf(fields, name)
        return Object.keys(cents).length === 0 ? [] : [[name, cents] as const]
      }),
    ),
  }
}

function centsOf(fields: Fields, name: AmountName): CentsByCurrency {
  const cents = new Map<string, number>()
  for (const n of ceilingRows(fields)) {
    const param = `amount.${n}.${name}`
    const text = fields[param]?.trim() ?? ''
    if (text === '') continue
    const currency = fields[`amount.${n}.currency`] ?? ''
    const value = parseAmount(text)
    if (value === undefined) throw invalid(`${amountLabels[name]} must be an amount, such as 50.00.`, param)
    if (cents.has(currency))
      throw invalid('Two rows are of the same currency. Remove one of them.', `amount.${n}.currency`)
    cents.set(currency, value)
  }
  return Object.fromEntries(cents)
}

/** The field that a refusal of the document concerns: `mandates.payout.cents_each.usd`. Pure. */
export function fieldOfCeiling(param: string, fields: Fields): string | undefined {
  const [root, , name = '', currency] = param.split('.')
  if (root !== 'mandates') return Object.hasOwn(fields, param) ? param : undefined
  if (!amountNames.includes(name as AmountName)) return Object.hasOwn(fields, name) ? name : undefined
  const row = ceilingRows(fields).find((n) => fields[`amount.${n}.currency`] === currency) ?? 0
  return `amount.${row}.${name}`
}

const invalid = (problem: string, param?: string): GateError =>
  new GateError('invalid', problem, param === undefined ? {} : { param })

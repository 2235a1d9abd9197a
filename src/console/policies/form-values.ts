import { GateError } from '../../errors.ts'
import { parseAmount } from '../../gate/money.ts'
import { limits } from '../../limits.ts'

// Reads values of the policy forms.

export type Fields = Record<string, string>

/** The name of a field in a row of bands, or of a day's amounts. */
export const rowField =
  /^([a-z_]+)\.(band|day)\.(0|[1-9]\d{0,2})\.(currency|up_to|tier|consent|amount|whose)$/

/** Counts the rows of bands or daily amounts of a kind; with `isFilled` only up to the last filled row. Pure. */
export function countRows(fields: Fields, kind: string, what: 'band' | 'day', isFilled: boolean): number {
  const telling = what === 'band' ? ['up_to', 'tier'] : ['amount']
  const rows = Object.entries(fields).flatMap(([name, value]) => {
    const found = rowField.exec(name)
    if (found?.[1] !== kind || found[2] !== what) return []
    return isFilled && (value === '' || !telling.includes(found[4]!)) ? [] : [Number(found[3]) + 1]
  })
  return Math.max(0, ...rows)
}

/** USD applies to all currencies without rows of their own, so it comes first. Pure. */
export function usdFirst<T>(entries: [string, T][]): [string, T][] {
  return entries.toSorted(([a], [b]) => Number(b === 'usd') - Number(a === 'usd'))
}

/** @throws GateError `invalid` where the text is not an amount */
export function parseAmountField(text: string, where: string, param: string): number {
  const cents = parseAmount(text)
  if (cents !== undefined) return cents
  throw new GateError(
    'invalid',
    `${where}: “${text.slice(0, limits.formValueEchoCharsMax)}” is not an amount. Write it like 100, 99.50 or 1,250.00.`,
    { param },
  )
}

/** @returns undefined for an empty field. @throws GateError `invalid` where the field is not a number */
export function parseNumber(fields: Fields, name: string): number | undefined {
  const text = fields[name]?.trim() ?? ''
  if (text === '') return undefined
  if (/^\d{1,15}(\.\d{1,25})?(e-\d{1,2})?$/.test(text)) return Number(text)
  throw new GateError('invalid', `${name} must be a number, such as 20.`, { param: name })
}

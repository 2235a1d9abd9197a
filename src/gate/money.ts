/**
 * The supported currencies. All have two decimals; others are refused.
 * @source docs/money.md
 */
export const currencies = [
  'usd',
  'eur',
  'gbp',
  'cad',
  'aud',
  'nzd',
  'chf',
  'sek',
  'nok',
  'dkk',
  'pln',
  'sgd',
] as const
export type Currency = (typeof currencies)[number]

export function isCurrency(text: string): text is Currency {
  return (currencies as readonly string[]).includes(text)
}

/**
 * Formats an amount for people, with integer arithmetic only: 123456 usd → `1,234.56 USD`. Pure.
 * @param amountCents  whole cents, ≥ 0
 */
export function formatAmount(amountCents: number, currency: string): string {
  const whole = Math.trunc(amountCents / 100).toLocaleString('en-US')
  return `${whole}.${String(amountCents % 100).padStart(2, '0')} ${currency.toUpperCase()}`
}

/**
 * Parses an amount as people write it: `100`, `1250.5`, `1,250.50`. A thousands separator is accepted only with cents:
 * `1,250` alone means 1.25 in some countries and 1250 in others. Pure.
 * @returns whole cents; undefined if the text is not an amount
 */
export function parseAmount(text: string): number | undefined {
  const read = /^(\d{1,15}|\d{1,3}(?:,\d{3}){1,4}(?=\.\d{2}$))(?:\.(\d{1,2}))?$/.exec(text.trim())
  if (!read) return undefined
  const cents = Number(read[1]!.replaceAll(',', '') + (read[2] ?? '').padEnd(2, '0'))
  return Number.isSafeInteger(cents) ? cents : undefined
}

/** An amount without its currency, as forms show it and `parseAmount` reads it. Pure. */
export function amountText(amountCents: number): string {
  return `${Math.trunc(amountCents / 100)}.${String(amountCents % 100).padStart(2, '0')}`
}

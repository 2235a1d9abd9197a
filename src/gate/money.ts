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

/** What an account says about its money. Absent: dollars, and every supported currency. */
export interface AccountMoney {
  /** The currency that it reckons in. */
  currency?: Currency | undefined
  /** The currencies that its actions may have. */
  currencies?: Currency[] | undefined
}

/** What an account reckons in: as it says, or the first currency that it allows where it does not allow dollars. Pure. */
export const ownCurrency = ({ currency, currencies: allowed }: AccountMoney): Currency =>
  currency ?? (allowed === undefined || allowed.includes('usd') ? 'usd' : allowed[0]!)

/** Pure. */
export const isAllowedCurrency = ({ currencies: allowed }: AccountMoney, currency: string): boolean =>
  allowed === undefined || (allowed as string[]).includes(currency)

/**
 * What is given for a currency: its own, or what is given for the currency of the account, or for dollars. Undefined: nothing of
 * these is given. Pure.
 */
export const givenFor = <T>(
  each: Record<string, T> | null | undefined,
  currency: string,
  own: string,
): T | undefined => each?.[currency] ?? each?.[own] ?? each?.['usd']

/**
 * The limit of a currency, in cents: as `givenFor`, else the lowest that is given. A limit in one currency must not be passed by
 * paying in another. Undefined: there is none. Pure.
 */
export const limitFor = (
  each: Record<string, number> | null | undefined,
  currency: string,
  own: string,
): number | undefined =>
  givenFor(each, currency, own) ?? (each ? Math.min(...Object.values(each)) : undefined)

/** The currency of the account first: it stands for those that are not listed. Pure. */
export const ownFirst =
  (own: string) =>
  (a: string, b: string): number => {
    if (a === own || b === own) return a === b ? 0 : a === own ? -1 : 1
    return a < b ? -1 : 1
  }

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

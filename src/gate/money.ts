/** Currencies of two decimals that the gate can weigh. Others are refused. @source product rulings §5 */
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
 * An amount for people, by integers alone: 123456 usd → `1,234.56 USD`. Pure.
 * @param amountCents  whole cents, ≥ 0
 */
export function formatAmount(amountCents: number, currency: string): string {
  const whole = Math.trunc(amountCents / 100).toLocaleString('en-US')
  return `${whole}.${String(amountCents % 100).padStart(2, '0')} ${currency.toUpperCase()}`
}

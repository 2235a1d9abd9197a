import { formatAmount } from './money.ts'

/**
 * What was confirmed of the same subject before, for the rule and the decision card: an amount that comes in pieces is
 * weighed whole. Pure.
 * @param cents  the sum of the last 24 hours, in one currency; 0: there is nothing to say
 */
export function spentWords(kind: string, cents: number, currency: string): string {
  if (cents === 0) return ''
  const done = doneOf[kind] ?? 'confirmed of the same subject'
  return `with ${formatAmount(cents, currency)} ${done} in the last 24 hours`
}

const doneOf: Record<string, string> = {
  refund: 'refunded of this payment',
  payout: 'paid out to this destination',
  checkout: 'in checkouts for this customer',
  subscription_cancellation: 'cancelled of this subscription',
}

import type { MandateTerms } from './terms.ts'

/** A use of a mandate, in the order of the debits. */
export interface Debit {
  cents: number | null
  currency: string | null
}

/** How much of a budget counts as nearly spent, in percent. */
export const nearlySpentPercent = 80

/**
 * Whether the last of these uses is the first that brings a mandate to the end of its budget, or near to it: of uses, or of one
 * currency. Pure.
 */
export function reachedBy(
  debits: Debit[],
  { uses, cents = {} }: Pick<MandateTerms, 'uses' | 'cents'>,
): 'spent' | 'nearly_spent' | undefined {
  const [now, before] = [percentOf(debits), percentOf(debits.slice(0, -1))]
  if (before < 100 && now >= 100) return 'spent'
  return before < nearlySpentPercent && now >= nearlySpentPercent ? 'nearly_spent' : undefined

  function percentOf(used: Debit[]): number {
    const shares = Object.entries(cents).map(([currency, most]) => {
      const sum = used.reduce((all, one) => all + (one.currency === currency ? one.cents! : 0), 0)
      return (sum * 100) / most
    })
    return Math.max((used.length * 100) / uses, ...shares)
  }
}

import { formatAmount, isCurrency } from './money.ts'
import type { Clearance, Weight } from './policy.ts'
import type { Tally } from './velocity.ts'

/** The ceilings of an API key, and what was confirmed in 24 hours of what it proposed or confirmed, of every kind. */
export interface CeilingTally {
  actionsPerDay: number | null
  /** By currency; `usd` holds for currencies that are not given. */
  centsPerDay: Record<string, number> | null
  spent: Tally
}

/**
 * Holds a clearance to the ceilings of the API keys that an action is proposed and confirmed by: over all members, whatever
 * the policy says. Pure.
 */
export function withinCeilings(cleared: Clearance, weight: Weight, ceilings: CeilingTally[]): Clearance {
  if (!cleared.allowed) return cleared
  for (const ceiling of ceilings) {
    const over = overCeiling(weight, ceiling)
    if (over !== undefined)
      return { allowed: false, rule: over, needed: cleared.needed, consent: cleared.consent, isTooFast: true }
  }
  return cleared
}

function overCeiling(
  { kind, amountCents, currency = 'usd' }: Weight,
  { actionsPerDay, centsPerDay, spent }: CeilingTally,
): string | undefined {
  if (actionsPerDay !== null && spent.actions + 1 > actionsPerDay)
    return `the API key may be used for ${actionsPerDay} ${actionsPerDay === 1 ? 'action' : 'actions'} in 24 hours, and ${spent.actions} were confirmed`
  if (amountCents === undefined || !isCurrency(currency)) return undefined
  const most = centsPerDay?.[currency] ?? centsPerDay?.['usd']
  if (most === undefined || spent.cents + amountCents <= most) return undefined
  const of = (cents: number) => formatAmount(cents, currency)
  return `${kind} of ${of(amountCents)} on top of the ${of(spent.cents)} of the last 24 hours is above the ${of(most)} that the API key may be used for`
}

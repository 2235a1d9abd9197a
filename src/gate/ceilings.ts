import { subjectOf } from './action-words.ts'
import { formatAmount, isCurrency, limitFor } from './money.ts'
import type { Clearance, Weight } from './policy.ts'
import type { Tally } from './velocity.ts'

/** The limits of an API key, and how much of what it proposed or confirmed was confirmed in the last 24 hours (all kinds). */
export interface CeilingTally {
  actionsPerDay: number | null
  /** By currency: see `limitFor`. */
  centsPerDay: Record<string, number> | null
  spent: Tally
}

/**
 * Applies the limits of the API keys that propose and confirm an action. They count all members, and apply whatever the
 * policy says. Pure.
 */
export function withinCeilings(
  cleared: Clearance,
  weight: Weight,
  ceilings: CeilingTally[],
  own: string = 'usd',
): Clearance {
  if (!cleared.allowed) return cleared
  for (const ceiling of ceilings) {
    const over = overCeiling(weight, ceiling, own)
    if (over !== undefined)
      return {
        allowed: false,
        code: 'key_limit',
        rule: over,
        needed: cleared.needed,
        consent: cleared.consent,
      }
  }
  return cleared
}

function overCeiling(
  weight: Weight,
  { actionsPerDay, centsPerDay, spent }: CeilingTally,
  own: string,
): string | undefined {
  const { kind, amountCents, currency = own } = weight
  if (actionsPerDay !== null && spent.actions + 1 > actionsPerDay)
    return `This API key is limited to ${actionsPerDay} ${actionsPerDay === 1 ? 'action' : 'actions'} in 24 hours (${spent.actions} already confirmed)`
  if (amountCents === undefined || !isCurrency(currency)) return undefined
  const most = limitFor(centsPerDay, currency, own)
  if (most === undefined || spent.cents + amountCents <= most) return undefined
  const of = (cents: number) => formatAmount(cents, currency)
  return `${subjectOf(kind, of(amountCents))} plus the ${of(spent.cents)} of the last 24 hours exceeds the API key's limit of ${of(most)}`
}

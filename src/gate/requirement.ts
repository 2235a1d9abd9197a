import { moreApprovals } from './approvals/rule.ts'
import { type ConsentStrength, meetsFloor } from './consent.ts'
import type { Clearance } from './policy.ts'
import { type Tier, reaches } from './tier.ts'

/** What one action requires beside the rule of its kind. */
export interface Requirement {
  tier: Tier
  consent: ConsentStrength
  /** What requires it, in words. */
  rule: string
}

/** A clearance by the policy, with what the action itself requires: the stronger of both counts. Pure. */
export function withRequirement(
  cleared: Clearance,
  required: Requirement | undefined,
  tier: Tier,
): Clearance {
  if (!required || !cleared.allowed) return cleared
  const { consent, rule } = required
  if (!reaches(tier, required.tier))
    return { allowed: false, code: 'tier_insufficient', rule, needed: required.tier, consent }
  return { ...cleared, rule, consent: meetsFloor(cleared.consent, consent) ? cleared.consent : consent }
}

/** Two clearances of one action, by rules that both apply: the stricter of both. Pure. */
export function stricter(one: Clearance, other: Clearance): Clearance {
  if (!one.allowed) return one
  if (!other.allowed) return other
  const approvals = moreApprovals(one.approvals, other.approvals)
  return { ...(meetsFloor(one.consent, other.consent) ? one : other), ...(approvals ? { approvals } : {}) }
}

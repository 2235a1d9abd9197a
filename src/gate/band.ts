import type { ApprovalRule } from './approvals/rule.ts'
import type { ConsentStrength } from './consent.ts'
import type { Tier } from './tier.ts'

/** Amounts up to and including `up_to_cents` require `tier`; without it, every amount above the previous bands. */
export interface Band {
  up_to_cents?: number | undefined
  tier: Tier
  consent: ConsentStrength
  /** Who else must approve. Absent: nobody. */
  approvals?: ApprovalRule | undefined
}

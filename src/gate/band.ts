import type { ConsentStrength } from './consent.ts'
import type { Tier } from './tier.ts'

/** Amounts up to and including `up_to_cents` need `tier`; without it, every amount above the bands before. */
export interface Band {
  up_to_cents?: number | undefined
  tier: Tier
  consent: ConsentStrength
}

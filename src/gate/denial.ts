import type { Tier } from './tier.ts'

/**
 * Which rule denied an action.
 * @source docs/rest.md#read-a-denial
 */
export const denialCodes = [
  'tier_insufficient',
  'kind_off',
  'above_last_band',
  'amount_unknown',
  'subject_unknown',
  'currency_unsupported',
  'velocity',
  'key_limit',
  'cannot_be_asked',
  'consent_too_weak',
  'member_inactive',
  'runner_rule',
  'call_unreadable',
  'consent_used',
  'consent_declined',
  'asked_too_often',
  'tool_not_reviewed',
  'tool_changed',
  'tool_denied',
  'account_suspended',
  'canary',
] as const
export type DenialCode = (typeof denialCodes)[number]

/** What would suffice instead. Only for `tier_insufficient`, and only where it is certain. */
export interface DenialNeeds {
  needed_tier?: Tier | undefined
  /** Slugs of the curricula that earn that tier, the one with the fewest missing modules first. */
  curricula?: string[] | undefined
}

/** Why an action is denied: for programs, for people, and what would suffice. */
export interface Denial {
  code: DenialCode
  /** The `denial_reason`. */
  sentence: string
  needs: DenialNeeds | null
}

/** A denial for which nothing that the member can earn would suffice. Pure. */
export const denial = (code: DenialCode, sentence: string): Denial => ({ code, sentence, needs: null })

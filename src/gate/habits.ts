/** How a member decided in a period: counts, and times from proposal to decision. */
export interface Habits {
  confirmed: number
  declined: number
  /** Confirmed within seconds of the proposal. */
  hasty: number
  /** In milliseconds; null if nothing was confirmed. */
  medianMs: number | null
  p90Ms: number | null
}

/** Above these limits, confirms are too many and too fast to have been reviewed. */
export interface HastyLimits {
  confirmsMin: number
  sharePercentMin: number
}

/**
 * Whether a member's approvals are too fast to have been reviewed. It denies nothing: it is a hint for administrators that
 * the policy may require consent too often. Pure.
 */
export function isRubberStamping(
  { confirmed, hasty }: Pick<Habits, 'confirmed' | 'hasty'>,
  { confirmsMin, sharePercentMin }: HastyLimits,
): boolean {
  return confirmed >= confirmsMin && hasty * 100 >= confirmed * sharePercentMin
}

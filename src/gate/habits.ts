/** How a member decided within some time: counts, and times from proposal to decision. */
export interface Habits {
  confirmed: number
  declined: number
  /** Confirmed within seconds of the proposal. */
  hasty: number
  /** Milliseconds; null where nothing was confirmed. */
  medianMs: number | null
  p90Ms: number | null
}

/** When confirms come so many and so fast that nobody can have read what they were shown. */
export interface HastyLimits {
  confirmsMin: number
  sharePercentMin: number
}

/**
 * Whether somebody seems to confirm without looking. It denies nothing: it is for a person to look at. Pure.
 * Members who are asked too often stop reading: the flag shows an admin where policy asks for consent too freely.
 */
export function isRubberStamping(
  { confirmed, hasty }: Pick<Habits, 'confirmed' | 'hasty'>,
  { confirmsMin, sharePercentMin }: HastyLimits,
): boolean {
  return confirmed >= confirmsMin && hasty * 100 >= confirmed * sharePercentMin
}

import { meetsFloor } from './consent.ts'
import type { Clearance } from './policy.ts'

/** The last change of the provider account that an action's money moves through. */
export interface ProviderChange {
  /** Its display name. */
  provider: string
  change: 'connected' | 'disconnected'
  at: Date
}

/**
 * Raises the required consent to `page` if the provider account changed less than `guardMs` ago: the person who changed it
 * may be the one who would receive the money. Pure.
 * @param cleared  the result of tier and policy
 * @param change  undefined if the action moves no money, or the provider never changed
 * @returns the same clearance, or one that requires `page`, with the reason and the end time in its rule
 */
export function afterProviderChange(
  cleared: Clearance,
  change: ProviderChange | undefined,
  now: Date,
  guardMs: number,
): Clearance {
  if (!change || !cleared.allowed || meetsFloor(cleared.consent, 'page')) return cleared
  const until = new Date(change.at.getTime() + guardMs)
  if (now >= until) return cleared
  const ago = agoWords(now.getTime() - change.at.getTime())
  const untilWords = until.toISOString().slice(0, 16).replace('T', ' ')
  return {
    ...cleared,
    consent: 'page',
    rule: `${cleared.rule}; ${change.provider} was ${change.change} ${ago}, so \`page\` consent is required until ${untilWords} UTC`,
  }
}

function agoWords(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 1) return 'less than a minute ago'
  if (minutes < 60) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`
  const hours = Math.floor(minutes / 60)
  return `${hours} ${hours === 1 ? 'hour' : 'hours'} ago`
}

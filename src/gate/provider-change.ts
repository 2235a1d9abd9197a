import { meetsFloor } from './consent.ts'
import type { Clearance } from './policy.ts'

/** The last change of the provider account that an action's money moves through. */
export interface ProviderChange {
  /** As people call it. */
  provider: string
  change: 'connected' | 'disconnected'
  at: Date
}

/**
 * Raises the consent that an action needs while its provider account was changed less than `guardMs` ago: whoever changed
 * it may be the one to whom the money would go. Pure.
 * @param cleared  what tier and policy say
 * @param change  undefined where the action moves no money, or the provider was never changed
 * @returns the same, or a floor of `page` with a rule that says why and until when
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
    rule: `${cleared.rule}; ${change.provider} was ${change.change} ${ago}, so it needs page consent until ${untilWords} UTC`,
  }
}

function agoWords(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 1) return 'less than a minute ago'
  if (minutes < 60) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`
  const hours = Math.floor(minutes / 60)
  return `${hours} ${hours === 1 ? 'hour' : 'hours'} ago`
}

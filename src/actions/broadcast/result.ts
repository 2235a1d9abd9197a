import type { DeliveryCount } from '../../db/queries/actions/deliveries.ts'

/** Counts of a broadcast's result: `slack` and `email` are delivered. All together they equal the blast radius. */
export type BroadcastCounts = {
  slack: number
  email: number
  unreachable: number
  failed: { slack: number; email: number }
  unknown: { slack: number; email: number }
}

/**
 * Adds up what was recorded. What was never tried counts as failed, what was tried and never recorded as unknown. Pure.
 * @param unreachable  recipients without a channel when the action was proposed
 */
export function countsOf(
  rows: Pick<DeliveryCount, 'channel' | 'state' | 'count'>[],
  unreachable: number,
): BroadcastCounts {
  const of = (channel: 'slack' | 'email', ...states: string[]) =>
    rows
      .filter((r) => r.channel === channel && states.includes(r.state))
      .map((r) => r.count)
      .reduce((a, b) => a + b, 0)
  const perChannel = (...states: string[]) => ({
    slack: of('slack', ...states),
    email: of('email', ...states),
  })
  return {
    ...perChannel('ok'),
    unreachable: unreachable + of('slack', 'unreachable') + of('email', 'unreachable'),
    failed: perChannel('failed', 'pending'),
    unknown: perChannel('unknown', 'sending'),
  }
}

/**
 * `done`: every reachable recipient. `unknown`: nothing is known to be delivered, and something may have been.
 * `refused`: nothing was delivered, for certain. Else `partial`. Pure.
 */
export function outcomeOf(counts: BroadcastCounts): 'done' | 'partial' | 'refused' | 'unknown' {
  const delivered = counts.slack + counts.email
  const failed = counts.failed.slack + counts.failed.email
  const unknown = counts.unknown.slack + counts.unknown.email
  if (failed + unknown === 0) return 'done'
  if (delivered > 0) return 'partial'
  return unknown > 0 ? 'unknown' : 'refused'
}

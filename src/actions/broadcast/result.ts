import type { DeliveryCount } from '../../db/queries/actions/deliveries.ts'

/** Counts in the result of a broadcast. `slack` and `email` count deliveries. The sum of all equals the blast radius. */
export type BroadcastCounts = {
  slack: number
  email: number
  unreachable: number
  failed: { slack: number; email: number }
  unknown: { slack: number; email: number }
}

/**
 * Adds up the recorded deliveries. Never attempted counts as failed; attempted without a recorded outcome counts as
 * unknown. Pure.
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
 * `done`: delivered to every reachable recipient. `unknown`: no delivery is certain, but some may have happened.
 * `refused`: certainly nothing was delivered. Otherwise `partial`. Pure.
 */
export function outcomeOf(counts: BroadcastCounts): 'done' | 'partial' | 'refused' | 'unknown' {
  const delivered = counts.slack + counts.email
  const failed = counts.failed.slack + counts.failed.email
  const unknown = counts.unknown.slack + counts.unknown.email
  if (failed + unknown === 0) return 'done'
  if (delivered > 0) return 'partial'
  return unknown > 0 ? 'unknown' : 'refused'
}

import type { DeliveryCount } from '../../db/queries/actions/deliveries.ts'
import { type Outlet, channels, outlets } from '../../gate/reach.ts'

/** `teams` is absent where the account had connected no room. */
type PerOutlet = { slack: number; email: number; teams?: number }

/** Counts in the result of a broadcast: deliveries by outlet, and others. The sum of all equals the blast radius. */
export type BroadcastCounts = PerOutlet & {
  unreachable: number
  failed: PerOutlet
  unknown: PerOutlet
}

/**
 * Adds up the recorded deliveries. Never attempted counts as failed; attempted without a recorded outcome counts as
 * unknown. Pure.
 * @param unreachable  recipients without a channel when the action was proposed
 * @param hasRoom  whether it goes to a room as well
 */
export function countsOf(
  rows: Pick<DeliveryCount, 'channel' | 'state' | 'count'>[],
  unreachable: number,
  hasRoom = false,
): BroadcastCounts {
  const of = (channel: Outlet, ...states: string[]) =>
    rows
      .filter((r) => r.channel === channel && states.includes(r.state))
      .map((r) => r.count)
      .reduce((a, b) => a + b, 0)
  const perOutlet = (...states: string[]) =>
    Object.fromEntries(
      (hasRoom ? outlets : channels).map((outlet) => [outlet, of(outlet, ...states)]),
    ) as PerOutlet
  return {
    ...perOutlet('ok'),
    unreachable: unreachable + of('slack', 'unreachable') + of('email', 'unreachable'),
    failed: perOutlet('failed', 'pending'),
    unknown: perOutlet('unknown', 'sending'),
  }
}

/**
 * `done`: delivered to every reachable recipient. `unknown`: no delivery is certain, but some may have happened.
 * `refused`: certainly nothing was delivered. Otherwise `partial`. Pure.
 */
export function outcomeOf(counts: BroadcastCounts): 'done' | 'partial' | 'refused' | 'unknown' {
  const sumOf = ({ slack, email, teams = 0 }: PerOutlet) => slack + email + teams
  const [delivered, failed, unknown] = [sumOf(counts), sumOf(counts.failed), sumOf(counts.unknown)]
  if (failed + unknown === 0) return 'done'
  if (delivered > 0) return 'partial'
  return unknown > 0 ? 'unknown' : 'refused'
}

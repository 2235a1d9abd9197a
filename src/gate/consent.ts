import { type Channel } from './reach.ts'

/** How a member's consent was given, weakest first. @source product rulings §5 */
export const consentStrengths = ['agent_attested', 'chat', 'page'] as const
export type ConsentStrength = (typeof consentStrengths)[number]

/** Those that the member gives, and not the agent: what a member can be asked for. */
export const requestedStrengths = ['chat', 'page'] as const satisfies readonly ConsentStrength[]
export type RequestedStrength = (typeof requestedStrengths)[number]

/** Where a member is asked: by buttons in Slack, or by a link in their mailbox. */
export type ConsentChannel = Channel

/** The strength of a decision by each way. @source product rulings §5 */
export const strengthBy: Record<ConsentChannel, RequestedStrength> = { slack: 'chat', email: 'page' }

/** Whether consent of strength `given` meets the floor. Pure. */
export function meetsFloor(given: ConsentStrength, floor: ConsentStrength): boolean {
  return consentStrengths.indexOf(given) >= consentStrengths.indexOf(floor)
}

export interface WayToAsk {
  via: ConsentChannel
  address: string
}

/**
 * How a member is asked for a consent: through the weakest of their channels that meets the floor. Pure.
 * @param usable  the ways that the service can ask by now for this account
 * @param failed  those by which asking failed the last time: taken only where no other is left, since they may work again
 * @returns undefined where they have none
 * @source product rulings §5
 */
export function wayToAsk(
  floor: RequestedStrength,
  member: Record<ConsentChannel, string | null>,
  usable: readonly ConsentChannel[],
  failed: readonly WayToAsk[] = [],
): WayToAsk | undefined {
  const ways = waysWeakestFirst.flatMap((via) => {
    const address = member[via]
    const isWay = meetsFloor(strengthBy[via], floor) && usable.includes(via) && address !== null
    return isWay ? [{ via, address }] : []
  })
  const hasFailed = (way: WayToAsk) => failed.some((f) => f.via === way.via && f.address === way.address)
  return ways.find((way) => !hasFailed(way)) ?? ways[0]
}

const waysWeakestFirst: readonly ConsentChannel[] = ['slack', 'email']

/** Why an action that asks for the member's own consent is denied where they cannot be asked. Pure. */
export function cannotBeAsked(rule: string, floor: RequestedStrength): string {
  return `${rule} and asks for ${floor} consent, which you cannot be asked for: ${missing[floor]}, or ask an admin`
}

const missing: Record<RequestedStrength, string> = {
  chat: 'have your Slack identity or your e-mail added, by which this service can reach you',
  page: 'have your e-mail added, by which this service can reach you',
}

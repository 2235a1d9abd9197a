import type { Channel } from './reach.ts'

/** How a member's consent was given, weakest first. @source docs/consent.md#choose-a-strength */
export const consentStrengths = ['agent_attested', 'chat', 'page'] as const
export type ConsentStrength = (typeof consentStrengths)[number]

/** Those that the member gives, and not the agent: what a member can be asked for. */
export const requestedStrengths = ['chat', 'page'] as const satisfies readonly ConsentStrength[]
export type RequestedStrength = (typeof requestedStrengths)[number]

/** Where a member is asked: by buttons in Slack, or by a link in their mailbox. */
export type ConsentChannel = Channel

/** The strength of a decision by each way. @source docs/consent.md#choose-a-strength */
export const strengthBy: Record<ConsentChannel, RequestedStrength> = { slack: 'chat', email: 'page' }

/** Whether consent of strength `given` meets the floor. Pure. */
export function meetsFloor(given: ConsentStrength, floor: ConsentStrength): boolean {
  return consentStrengths.indexOf(given) >= consentStrengths.indexOf(floor)
}

/** Whether an e-mail or a Slack identity took the place of another. */
export interface IdentityAge {
  /** When it took the place of another, also of one that had been removed. */
  changedAt: Date | null
  /** A second administrator confirmed the change. */
  isConfirmed: boolean
}

/**
 * When a decision through an identity counts as what its channel proves; null where it does. Pure.
 * @param settlesAfterHours  the policy's `mailbox_settles_after_hours`; 0: at once
 */
export function settlesAt(
  { changedAt, isConfirmed }: Pick<IdentityAge, 'changedAt' | 'isConfirmed'>,
  settlesAfterHours: number,
  now: Date,
): Date | null {
  if (changedAt === null || isConfirmed) return null
  const at = new Date(changedAt.getTime() + settlesAfterHours * msPerHour)
  return now < at ? at : null
}

/**
 * What a decision through an identity counts as: who changed the address of a member reads the new one and not the member, so
 * until the change has settled it is the word of others. Pure.
 */
export function strengthNow(
  strength: ConsentStrength,
  identity: Pick<IdentityAge, 'changedAt' | 'isConfirmed'>,
  settlesAfterHours: number,
  now: Date,
): ConsentStrength {
  return settlesAt(identity, settlesAfterHours, now) === null ? strength : 'agent_attested'
}

const msPerHour = 3_600_000

/** Those of the ways to ask a member whose answer would count as what the channel proves. Pure. */
export function settledWays(
  usable: readonly ConsentChannel[],
  identities: Record<ConsentChannel, IdentityAge>,
  settlesAfterHours: number,
  now: Date,
): ConsentChannel[] {
  return usable.filter((via) => settlesAt(identities[via], settlesAfterHours, now) === null)
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
 * @source docs/consent.md#choose-a-strength
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

/** Why nobody is asked by an identity that was changed a moment ago, and what to do. Pure. */
export function notYetAsked(id: number, via: ConsentChannel, at: Date): string {
  return `The ${identityWords[via]} of this member was changed: until ${at.toISOString()} a decision through it counts as agent_attested, which the policy does not accept here. Nobody was asked, and action ${id} stays open. Confirm it after that time, or have an administrator who did not make the change confirm it on the member's page in the console.`
}

/** The same to who decides. Pure. */
export function notYetDecided(via: ConsentChannel, at: Date): string {
  return `Your ${identityWords[via]} was changed: until ${at.toISOString()} a decision through it counts as agent_attested, which the policy does not accept here. Nothing was done, and the request stays open. Decide after that time, or ask an administrator who did not make the change to confirm it on your page in the console.`
}

const identityWords: Record<ConsentChannel, string> = { slack: 'Slack identity', email: 'e-mail address' }

const missing: Record<RequestedStrength, string> = {
  chat: 'have your Slack identity or your e-mail added, by which this service can reach you',
  page: 'have your e-mail added, by which this service can reach you',
}

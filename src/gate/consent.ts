import { type Denial, denial } from './denial.ts'

/**
 * How a member's consent was given, weakest first.
 * @source docs/consent.md#choose-a-strength
 */
export const consentStrengths = ['agent_attested', 'client_attested', 'chat', 'page', 'passkey'] as const
export type ConsentStrength = (typeof consentStrengths)[number]

/** The strengths that a member gives personally, through a consent request. */
export const requestedStrengths = ['chat', 'page', 'passkey'] as const satisfies readonly ConsentStrength[]
export type RequestedStrength = (typeof requestedStrengths)[number]

/** The strengths that a rule about money can require: a program that answers for its user never moves money. */
export const moneyStrengths = ['agent_attested', ...requestedStrengths] as const

/** Chats in which a member is asked by buttons, and decides by a press. */
export const chatChannels = ['slack', 'teams'] as const
export type ChatChannel = (typeof chatChannels)[number]

/** Where a consent request is sent, the weakest first: as buttons in a chat, or as a link by e-mail. */
export const consentChannels = [...chatChannels, 'email'] as const
export type ConsentChannel = (typeof consentChannels)[number]

/**
 * The consent strength that each channel proves.
 * @source docs/consent.md#choose-a-strength
 */
export const strengthBy: Record<ConsentChannel, RequestedStrength> = {
  slack: 'chat',
  teams: 'chat',
  email: 'page',
}

/** What a channel must prove for this to be asked through it: a passkey signs on a page. Pure. */
const channelFloor = (floor: RequestedStrength): RequestedStrength => (floor === 'passkey' ? 'page' : floor)

/** Whether consent of strength `given` meets the floor. Pure. */
export function meetsFloor(given: ConsentStrength, floor: ConsentStrength): boolean {
  return consentStrengths.indexOf(given) >= consentStrengths.indexOf(floor)
}

/** What a member is asked for where this floor is to be met: the weakest consent of their own that meets it. Pure. */
export const requestedFor = (floor: ConsentStrength): RequestedStrength =>
  requestedStrengths.find((strength) => meetsFloor(strength, floor))!

/** The floor of an action by its rule. Of an action with an amount the member is asked, and not their client. Pure. */
export const floorOf = (
  consent: ConsentStrength,
  { amountCents }: { amountCents?: number | undefined },
): ConsentStrength =>
  consent === 'client_attested' && amountCents !== undefined ? requestedFor(consent) : consent

/**
 * The consent that a confirm carries. The word of a client about its user counts only where the floor is that word; elsewhere
 * it is an agent's word. Pure.
 */
export const carriedConsent = (given: ConsentStrength, floor: ConsentStrength): ConsentStrength =>
  given === 'client_attested' && floor !== 'client_attested' ? 'agent_attested' : given

/**
 * The consent that an action requires: what its proposal promises, and what its confirm must carry. Pure.
 * @param consent  as the policy clears the action
 * @param isDecidedByLink  a signed-in person decides on the page of a link, whatever the policy says
 */
export function requiredConsent(
  { consent }: { consent: ConsentStrength },
  { isDecidedByLink = false }: { isDecidedByLink?: boolean },
): ConsentStrength {
  return isDecidedByLink ? 'page' : consent
}

/** Whether an e-mail address or the identity in a chat replaced another one. */
export interface IdentityAge {
  /** When it replaced another one, including one that had been removed. */
  changedAt: Date | null
  /** A second administrator confirmed the change. */
  isConfirmed: boolean
}

/**
 * When a decision through a changed identity counts in full again; null if it already does. Pure.
 * @param settlesAfterHours  the policy's `mailbox_settles_after_hours`; 0: immediately
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
 * What a decision through an identity counts as. The person who changed a member's address may read messages at the new
 * one, so until the change settles a decision through it proves no more than an agent's word. Pure.
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

/** The channels through which a decision counts in full. Pure. */
export function settledChannels(
  usable: readonly ConsentChannel[],
  identities: Record<ConsentChannel, IdentityAge>,
  settlesAfterHours: number,
  now: Date,
): ConsentChannel[] {
  return usable.filter((via) => settlesAt(identities[via], settlesAfterHours, now) === null)
}

export interface ConsentRoute {
  via: ConsentChannel
  address: string
}

/**
 * Chooses the channel for a consent request: the weakest of the member's channels that meets the floor. Pure.
 * @param usable  the channels that the service can currently use for this account
 * @param failed  channels whose last request failed: used only if no other is left, since they may work again
 * @returns undefined if the member has no such channel
 * @source docs/consent.md#choose-a-strength
 */
export function consentRoute(
  floor: RequestedStrength,
  member: Record<ConsentChannel, string | null>,
  usable: readonly ConsentChannel[],
  failed: readonly ConsentRoute[] = [],
): ConsentRoute | undefined {
  const routes = consentChannels.flatMap((via) => {
    const address = member[via]
    const isUsable =
      meetsFloor(strengthBy[via], channelFloor(floor)) && usable.includes(via) && address !== null
    return isUsable ? [{ via, address }] : []
  })
  const hasFailed = (route: ConsentRoute) =>
    failed.some((f) => f.via === route.via && f.address === route.address)
  return routes.find((route) => !hasFailed(route)) ?? routes[0]
}

/** The denial of an action that requires the member's own consent when no consent request can reach them. Pure. */
export function unreachableForConsent(rule: string, floor: RequestedStrength): Denial {
  const sentence = `${rule}. The policy also requires \`${floor}\` consent, but this service cannot reach the member for it. Add ${missingIdentity[floor]}, or ask an administrator.`
  return denial('cannot_be_asked', sentence)
}

/** Why no consent request is sent to an identity that changed recently, and what to do. Pure. */
export function requestNotSettled(id: number, via: ConsentChannel, at: Date): string {
  return `This member's ${identityWords[via]} changed recently. Until ${at.toISOString()} a decision through it counts as agent_attested, which the policy does not accept for this action. No consent request was sent, and action ${id} stays open. Confirm the action after that time, or ask an administrator who did not make the change to confirm it on the member's page in the console.`
}

/** The same reason, for the member who decides. Pure. */
export function decisionNotSettled(via: ConsentChannel, at: Date): string {
  return `Your ${identityWords[via]} changed recently. Until ${at.toISOString()} a decision through it counts as agent_attested, which the policy does not accept for this action. Nothing was executed, and the request stays open. Decide after that time, or ask an administrator who did not make the change to confirm it on your page in the console.`
}

/** The words for an identity of a member in a sentence. */
export const identityWords: Record<ConsentChannel, string> = {
  slack: 'Slack identity',
  teams: 'Teams identity',
  email: 'e-mail address',
}

const missingIdentity: Record<RequestedStrength, string> = {
  chat: 'a Slack or Teams identity or an e-mail address for the member',
  page: 'an e-mail address for the member',
  passkey: 'an e-mail address for the member, who then adds a passkey in the console',
}

export const channels = ['slack', 'email'] as const
export type Channel = (typeof channels)[number]

/** What a broadcast goes out by: the channels of members, and the room in Microsoft Teams that the account connected. */
export const outlets = [...channels, 'teams'] as const
export type Outlet = (typeof outlets)[number]

/** `preferred`: one channel per member, Slack before e-mail. `all`: every channel the member has. */
export const channelChoices = ['preferred', 'all'] as const
export type ChannelChoice = (typeof channelChoices)[number]

/** Applies if the policy does not set one. */
export const defaultChannels: ChannelChoice = 'preferred'

export interface RosterMember {
  memberId: string
  email: string | null
  slack: string | null
}

export interface Recipient {
  /** Of a room: `teams`. */
  memberId: string
  channel: Outlet
  address: string
}

/** Recipient counts per channel, as shown before consent. */
export interface BlastRadius {
  slack: number
  email: number
  unreachable: number
  /** Posts in a room, which anyone there reads. */
  teams: number
}

export interface Reach {
  /** Sorted by channel, then member, so that the same roster gives the same list. */
  recipients: Recipient[]
  blastRadius: BlastRadius
}

export const noReach: BlastRadius = { slack: 0, email: 0, unreachable: 0, teams: 0 }

/**
 * The recipients of a broadcast and their channels. Pure.
 * @param roster  the account's active members
 * @param available  the channels that the account can currently use
 * @param room  the room in Teams that it posts to, if any
 * @source docs/concepts.md#recipients-of-a-broadcast
 */
export function reach(
  roster: RosterMember[],
  choice: ChannelChoice,
  available: readonly Channel[],
  room?: string,
): Reach {
  const placed = roster.map((member) => channelsOf(member, choice, available))
  const posts: Recipient[] =
    room === undefined ? [] : [{ memberId: 'teams', channel: 'teams', address: room }]
  const recipients = [...placed.flat(), ...posts].toSorted(byChannelThenMember)
  const count = (channel: Outlet) => recipients.filter((r) => r.channel === channel).length
  return {
    recipients,
    blastRadius: {
      slack: count('slack'),
      email: count('email'),
      unreachable: placed.filter((p) => p.length === 0).length,
      teams: posts.length,
    },
  }
}

function channelsOf(member: RosterMember, choice: ChannelChoice, available: readonly Channel[]): Recipient[] {
  const possible = channels
    .filter((channel) => available.includes(channel) && member[channel] !== null)
    .map((channel) => ({ memberId: member.memberId, channel, address: member[channel]! }))
  return choice === 'all' ? possible : possible.slice(0, 1)
}

function byChannelThenMember(a: Recipient, b: Recipient): number {
  const [left, right] = [`${a.channel} ${a.memberId}`, `${b.channel} ${b.memberId}`]
  return left < right ? -1 : left > right ? 1 : 0
}

/** How many messages go out by each outlet. */
export interface ReachColumns {
  reach_slack: number
  reach_email: number
  reach_teams: number
}

/** The outlets that an action goes out by. Pure. */
export const outletsOf = (row: ReachColumns): Outlet[] =>
  outlets.filter((outlet) => row[`reach_${outlet}`] > 0)

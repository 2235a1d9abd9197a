import type { GateError } from '../errors.ts'
import type { ChatChannel } from '../gate/consent.ts'
import type { Outlet } from '../gate/reach.ts'
import type { ClaimGate } from './claim-gate.ts'

/** What a channel is used for: outlets of broadcasts, and the bot that asks members in Teams. An account has one of each use. */
export type ChannelUse = Outlet | 'teams_bot'

/** By what a member is asked in a chat. */
export const useOfChat: Record<ChatChannel, ChannelUse> = { slack: 'slack', teams: 'teams_bot' }

/**
 * The interface to a delivery channel. One call sends one slice: a small, frozen group of recipients. A message is
 * frozen before it is sent, sent once, and each outcome is ok, not_done or unknown.
 * @source docs/architecture.md#the-picture: freeze first, call once, three-valued outcome
 */
export interface DeliveryChannel {
  readonly channel: ChannelUse
  /** Identifies the credential: messages sent with another one cannot be repeated or looked up with this one. */
  readonly credential: string
  /** True where the provider replays the answer for a repeated key, so a slice with unknown outcome may be sent again. */
  readonly isIdempotent: boolean
  /** True where a second copy of a notice does no harm, so one with unknown outcome may be sent again. */
  readonly mayRepeatNotice: boolean
  /** Builds the request, which is stored before the call and never built again. Pure. */
  freeze(message: MessageToFreeze): FrozenMessage
  /** The same for a notice of the gate to one person: a consent request, a sign-in link. Pure. */
  freezeNotice(notice: Notice): FrozenMessage
  /** Sends one slice, each recipient at most once. Never throws: errors are outcomes per recipient, in order. */
  send(slice: SliceToSend): Promise<SliceOutcome>
  /** Only a channel has it that must look an address up before it can send there. */
  readonly addressBook?: AddressBook
  /** Only a channel under a rate limit of ours has it. */
  readonly claimGate?: ClaimGate
  /** Only a channel with buttons has it. */
  readonly dialogue?: Dialogue
  /** After an unknown outcome: looks up what happened; `unknown` where the provider cannot say. Never sends. */
  reconcile(slice: SliceToSend): Promise<SliceOutcome>
}

/** A connected channel whose credential cannot be decrypted now. No other channel replaces it. */
export interface UnreadableChannel {
  /** The error for any use of the channel. */
  readonly unreadable: GateError
  /** As of the channel, if it could be opened. */
  readonly credential: string
}

export interface MessageToFreeze {
  /** The text of the broadcast as proposed. */
  text: string
  /** The member's name, and the account's: recipients read who sent it. */
  proposerName: string
  accountName: string
  /** The action's number. The message carries it where only programs read, so that it can be traced to its row. */
  actionNumber: number
}

/**
 * Looks up where messages to an address go, before their slice is claimed: a crash during the lookup leaves no outcome unknown.
 */
export interface AddressBook {
  /** Whether all addresses of a group were looked up, and none was forgotten since. */
  knows(group: string): boolean
  /** @returns the addresses that nothing can be sent to now, with their outcome. Never throws */
  lookUp(group: string, addresses: string[], waits: Waits): Promise<NotDoneByAddress>
}

export type NotDone = Extract<DeliveryOutcome, { state: 'not_done' }>
export type NotDoneByAddress = ReadonlyMap<string, NotDone>

/** Messages with buttons, which are later updated with the outcome. */
export interface Dialogue {
  /** The workspace that answers come from: of a bot, its tenant and its app. Throws where the provider cannot be reached or refuses. */
  team(): Promise<string>
  /** The organization that the app is installed for as a whole; undefined for one workspace. Throws as `team`. */
  organization(): Promise<string | undefined>
  /**
   * Replaces the content of a message, in a conversation or in the one with a user.
   * @throws MessageGone where it can never be replaced, Error on other failures
   */
  replace(message: ChatMessage, content: { text: string; blocks: Record<string, unknown>[] }): Promise<void>
}

/** A message in a chat: its id there, in a conversation or in the one with a user. */
export type ChatMessage = { id: string } & ({ channel: string } | { user: string })

/** A message that its provider no longer lets us replace. */
export class MessageGone extends Error {}

/** A message of the gate to one person. */
export interface Notice {
  /** The e-mail subject, one line. */
  subject: string
  /** Plain text, complete without the fields below. */
  text: string
  /** The same as the HTML of an e-mail. Absent: made from the text. */
  html?: string
  /** Shown below the text of an e-mail that has no HTML of its own. */
  link?: { label: string; url: string }
  /** The blocks of a card in the form of the chat, shown there instead of the text. Foreign text in them is plain text. */
  blocks?: Record<string, unknown>[]
  /** The number of the action it is about; carried as in a broadcast. */
  actionNumber?: number
}

/** JSON stored with the slice. Only the channel that created it reads it. */
export type FrozenMessage = Record<string, string>

export interface SliceToSend extends Waits {
  /** Unique per action, channel and slice; stable across retries and restores: `act_<uuid>_<channel>_<n>`. */
  key: string
  message: FrozenMessage
  recipients: { deliveryId: string; address: string }[]
  /** When the first attempt was recorded, for the search in the provider's history. */
  attemptedAt: Date
  /** Outcomes of the lookup before: these recipients are not sent to. */
  notDone?: NotDoneByAddress
  /** Called for each recipient once, when it need not wait for the rate limit any more. */
  onTurn?(): void
}

/** How long a call may wait. */
export interface Waits {
  /** Cancels waiting; a running call becomes `unknown`. */
  signal?: AbortSignal
  /** Longest wait under the rate limit; after it, a recipient is `not_done`. Absent: no limit. */
  turnMs?: number
}

export interface SliceOutcome {
  /** In the order of the slice's recipients. */
  outcomes: DeliveryOutcome[]
}

/**
 * `ok`: the provider accepted it. `not_done`: certainly not delivered; with `retryAfterMs` it may be sent again after
 * that time, without it the recipient is unreachable; `says`: the provider's own words, safe to log. `unknown`: it may or
 * may not have been delivered.
 */
export type DeliveryOutcome =
  | { state: 'ok'; providerId: string }
  | { state: 'not_done'; code: string; retryAfterMs?: number; says?: string }
  | { state: 'unknown'; code: string }

import type { GateError } from '../errors.ts'

/**
 * What the gate asks of a delivery channel. One call sends one slice: a small, frozen group of recipients.
 * @source docs/architecture.md#the-picture: freeze first, call once, three-valued outcome
 */
export interface DeliveryChannel {
  readonly channel: 'slack' | 'email'
  /** Tells the credential from every other: what was sent by another cannot be repeated or looked up by this one. */
  readonly credential: string
  /** True where the provider replays an answer for a repeated key, so that a slice of unknown fate may be sent again. */
  readonly isIdempotent: boolean
  /** Builds the request that is stored before the call and never rebuilt. Pure. */
  freeze(message: MessageToFreeze): FrozenMessage
  /** The same for what the gate itself has to say to one person: a request to decide, a link to sign in. Pure. */
  freezeNotice(notice: Notice): FrozenMessage
  /** Sends one slice, each recipient at most once. Never throws: what went wrong is an outcome per recipient, in order. */
  send(slice: SliceToSend): Promise<SliceOutcome>
  /** Of a channel in which people answer by buttons. */
  readonly dialogue?: Dialogue
  /** After an unknown outcome: asks the provider what happened. `unknown` where it cannot tell. Never sends. */
  reconcile(slice: SliceToSend): Promise<SliceOutcome>
}

/** A channel that an account connected with a credential that cannot be opened now. No other stands in for it. */
export interface UnreadableChannel {
  /** What its use is answered with. */
  readonly unreadable: GateError
}

export interface MessageToFreeze {
  /** The broadcast's text as the proposer gave it. */
  text: string
  /** The proposer's name, for the e-mail subject. */
  proposerName: string
}

/** Messages that are answered, and then say what came of it. */
export interface Dialogue {
  /** The workspace that answers come from. Throws where the provider cannot be asked now, and otherwise where it refuses. */
  team(): Promise<string>
  /** Puts other content into a message of ours. Throws where that fails. */
  replace(
    message: { channel: string; ts: string },
    content: { text: string; blocks: Record<string, unknown>[] },
  ): Promise<void>
}

/** What the gate says to one person in its own words. */
export interface Notice {
  /** On one line, of an e-mail. */
  subject: string
  /** Plain text, whole without what follows it. */
  text: string
  /** Put below the text of an e-mail. */
  link?: { label: string; url: string }
  /** In Slack, shown in place of the text: blocks of its Block Kit, in which every foreign text is plain text. */
  blocks?: Record<string, unknown>[]
}

/** JSON stored with the slice. Only the channel that made it reads it. */
export type FrozenMessage = Record<string, string>

export interface SliceToSend {
  /** Unique per action, channel and slice, stable across retries and restores: `act_<uuid>_<channel>_<n>`. */
  key: string
  message: FrozenMessage
  recipients: { deliveryId: string; address: string }[]
  /** When the first attempt was recorded, for the search in the provider's history. */
  attemptedAt: Date
  /** Cancels waiting; a call already under way becomes `unknown`. */
  signal?: AbortSignal
  /** Longest wait for a turn under the rate limit; past it, a recipient is `not_done`. Absent: as long as it takes. */
  turnMs?: number
}

export interface SliceOutcome {
  /** In the order of the slice's recipients. */
  outcomes: DeliveryOutcome[]
}

/**
 * `ok`: the provider took it. `not_done`: certainly not delivered: with `retryAfterMs` it may be sent again after that
 * time, without it the recipient cannot be reached. `unknown`: it may or may not have been delivered.
 */
export type DeliveryOutcome =
  | { state: 'ok'; providerId: string }
  | { state: 'not_done'; code: string; retryAfterMs?: number }
  | { state: 'unknown'; code: string }

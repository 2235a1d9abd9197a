import { limits } from '../../limits.ts'
import { escapeSlackText } from '../../text/escape.ts'
import { inOneLine } from '../email-content.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { claimGate } from '../claim-gate.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import type {
  DeliveryChannel,
  DeliveryOutcome,
  MessageToFreeze,
  SliceToSend,
  AddressBook,
  NotDone,
} from '../ports.ts'
import { type RateLimiter, rateLimiter } from '../rate-limiter.ts'
import { waitUntil } from '../until-aborted.ts'
import { slackClient } from './client.ts'
import { slackDialogue } from './dialogue.ts'
import { directChannels } from './direct-channels.ts'
import {
  type Recipient,
  type Workspace,
  findDirectMessage,
  sendDirectMessage,
  openAhead,
} from './direct-message.ts'

/** Recipients of a slice that are sent to concurrently. */
const slackRecipientsAtOnce = 8

export interface SlackOptions {
  /** Bot token with `chat:write im:write im:history`. */
  token: string
  apiUrl?: string
  /** The time for one HTTP call. */
  timeoutMs?: number
  /** Recipients of one slice sent concurrently. */
  concurrency?: number
  /** Shared by every channel of one Slack workspace. */
  rateLimiter?: RateLimiter
  /** The same for conversations that are opened ahead of their messages. */
  openingLimiter?: RateLimiter
  /** How long a message with unknown outcome gets to appear in the history. */
  reconcileDelayMs?: number
}

/**
 * Broadcasts as direct messages of a Slack app, one call per recipient, never retried by the SDK.
 *
 * Slack has no idempotency key: a message with unknown outcome is looked up in its conversation by its delivery id and
 * never sent again.
 * @source Slack: `client_msg_id` is not for apps (slackapi/java-slack-sdk#852); message metadata is
 */
export function slackChannel(options: SlackOptions): DeliveryChannel {
  const client = slackClient(options)
  const unlimited = () => rateLimiter({ perSecond: 0 })
  const { rateLimiter: limiter = unlimited(), openingLimiter = unlimited() } = options
  const workspace: Workspace = { client, limiter, openingLimiter, directChannels: directChannels() }
  const { concurrency = slackRecipientsAtOnce, reconcileDelayMs = limits.slackReconcileMs } = options
  const forEachRecipient = async (
    slice: SliceToSend,
    settle: (workspace: Workspace, recipient: Recipient, slice: SliceToSend) => Promise<DeliveryOutcome>,
  ) => ({
    outcomes: await mapConcurrent(concurrency, slice.recipients, (recipient) =>
      settle(workspace, recipient, slice),
    ),
  })

  return {
    channel: 'slack',
    credential: fingerprintOf(options.token),
    isIdempotent: false,
    mayRepeatNotice: false,
    freeze: (message) => ({
      text: escapeSlackText(message.text),
      attachments: JSON.stringify([senderBelow(message)]),
      action_number: String(message.actionNumber),
    }),
    freezeNotice: ({ text, blocks, actionNumber }) => ({
      text: escapeSlackText(text),
      ...(blocks ? { blocks: JSON.stringify(blocks) } : {}),
      ...(actionNumber === undefined ? {} : { action_number: String(actionNumber) }),
    }),
    ...(limiter.perSecond === 0 ? {} : { claimGate: claimGate(Math.ceil(limiter.perSecond)) }),
    dialogue: slackDialogue(workspace),
    addressBook: addressBook(workspace, concurrency),
    send: (slice) => forEachRecipient(slice, sendDirectMessage),
    async reconcile(slice) {
      const isWaitOver = await waitUntil(slice.attemptedAt.getTime() + reconcileDelayMs, slice.signal)
      return forEachRecipient(
        slice,
        isWaitOver ? findDirectMessage : async () => ({ state: 'unknown', code: 'cancelled' }),
      )
    },
  }
}

/** Who sent a message, below its text: in blocks, the text itself would lose its links. Names are plain text. */
function senderBelow({ proposerName, accountName }: MessageToFreeze) {
  const names = [proposerName, accountName].map((name) => escapeSlackText(inOneLine(name)))
  const line = `Message from ${names[0]} (via ${names[1]}’s gate)`
  const element = { type: 'plain_text', text: line, emoji: false }
  return { fallback: line, blocks: [{ type: 'context', elements: [element] }] }
}

/** Opens the conversations with users ahead of their messages, at most `atOnce` at the same time. */
function addressBook(workspace: Workspace, atOnce: number): AddressBook {
  const { directChannels } = workspace
  return {
    knows: (group) => directChannels.knowsGroup(group),
    async lookUp(group, users, waits) {
      const notDone = new Map<string, NotDone>()
      await mapConcurrent(atOnce, users, async (user) => {
        const failure = await openAhead(workspace, user, waits)
        if (failure) notDone.set(user, failure)
      })
      if (notDone.size === 0) directChannels.noteGroup(group)
      return notDone
    },
  }
}

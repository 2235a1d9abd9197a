import type { KnownBlock } from '@slack/web-api'
import { escapeSlackText } from '../../text/escape.ts'
import { mapConcurrent } from '../map-concurrent.ts'
import { fingerprintOf } from '../fingerprint.ts'
import type { DeliveryChannel, DeliveryOutcome, SliceToSend } from '../ports.ts'
import { rateLimiter, takeTurn, type RateLimiter } from '../rate-limiter.ts'
import { slackClient } from './client.ts'
import { findDelivery, withRateLimitRetries } from './history.ts'
import { slackFailure, type SlackFailure } from './outcome.ts'
import { untilAborted, waitUntil } from '../until-aborted.ts'

export interface SlackOptions {
  /** Bot token with `chat:write im:write im:history`. */
  token: string
  apiUrl?: string
  /** For one HTTP call. */
  timeoutMs?: number
  /** Recipients of one slice under way at once. */
  concurrency?: number
  /** Shared by every channel of one Slack workspace. */
  rateLimiter?: RateLimiter
  /** How long a message of unknown fate gets to appear in the history. */
  reconcileDelayMs?: number
}

const directChannelsMax = 20_000
/** When opening the conversation fails for a reason that may pass. */
const openAgainAfterMs = 5_000

/**
 * Broadcasts as direct messages of a Slack app, one call per recipient, never repeated by the SDK.
 *
 * Slack has no idempotency key: a message of unknown fate is looked up in its conversation by the delivery id it
 * carries, and never sent again.
 * @source Slack: `client_msg_id` is not for apps (slackapi/java-slack-sdk#852); message metadata is
 */
export function slackChannel(options: SlackOptions): DeliveryChannel {
  const client = slackClient(options)
  const limiter = options.rateLimiter ?? rateLimiter({ perSecond: 0 })
  const directChannels = new Map<string, string>()
  let team: Promise<string> | undefined
  const { concurrency = 8, reconcileDelayMs = 30_000 } = options

  return {
    channel: 'slack',
    credential: fingerprintOf(options.token),
    isIdempotent: false,
    freeze: ({ text }) => ({ text: escapeSlackText(text) }),
    freezeNotice: ({ text, blocks }) => ({
      text: escapeSlackText(text),
      ...(blocks ? { blocks: JSON.stringify(blocks) } : {}),
    }),
    dialogue: {
      team: () => (team ??= teamOf().catch(forgetTeam)),
      async replace({ channel, ts }, { text, blocks }) {
        await client.chat.update({
          channel,
          ts,
          text: escapeSlackText(text),
          blocks: blocks as unknown as KnownBlock[],
          link_names: false,
        })
      },
    },
    send: (slice) => forEachRecipient(slice, sendOne),
    async reconcile(slice) {
      const isWaitOver = await waitUntil(slice.attemptedAt.getTime() + reconcileDelayMs, slice.signal)
      return forEachRecipient(
        slice,
        isWaitOver ? lookUpOne : async () => ({ state: 'unknown', code: 'cancelled' }),
      )
    },
  }

  async function teamOf(): Promise<string> {
    const { team_id: id } = await client.auth.test()
    if (!id) throw new Error('Slack named no workspace.')
    return id
  }

  function forgetTeam(error: unknown): never {
    team = undefined
    const failure = slackFailure(error)
    if (failure.state === 'not_done' && failure.retryAfterMs === undefined)
      throw new SlackRefusal(failure.code)
    throw new Error(`Slack does not say which workspace it is: ${failure.code}`)
  }

  async function forEachRecipient(
    slice: SliceToSend,
    settle: (recipient: Recipient, slice: SliceToSend) => Promise<DeliveryOutcome>,
  ) {
    return {
      outcomes: await mapConcurrent(concurrency, slice.recipients, (recipient) => settle(recipient, slice)),
    }
  }

  async function sendOne(recipient: Recipient, slice: SliceToSend): Promise<DeliveryOutcome> {
    if (!isOneUserId(recipient.address)) return { state: 'not_done', code: 'invalid_user_id' }
    const pausedMs = limiter.pausedMs()
    if (pausedMs > 0) return { state: 'not_done', code: 'ratelimited', retryAfterMs: pausedMs }
    try {
      await takeTurn(limiter, slice)
    } catch {
      return cancelledBeforeCall
    }
    const opened = await openDirectChannel(recipient.address, slice.signal)
    if (opened.state !== 'ok') return opened
    if (slice.signal?.aborted) return cancelledBeforeCall
    return post(opened.providerId, recipient, slice)
  }

  /** The recipient's conversation as `providerId`. Whatever fails here, no message has left: never `unknown`. */
  async function openDirectChannel(user: string, signal?: AbortSignal): Promise<DeliveryOutcome> {
    try {
      return { state: 'ok', providerId: await untilAborted(directChannelOf(user), signal) }
    } catch (error) {
      if (signal?.aborted) return cancelledBeforeCall
      const failure = pausing(slackFailure(error))
      if (failure.state === 'not_done') return failure
      return { state: 'not_done', code: failure.code, retryAfterMs: openAgainAfterMs }
    }
  }

  async function directChannelOf(user: string): Promise<string> {
    const known = directChannels.get(user)
    if (known) return known
    const answer = await client.conversations.open({ users: user })
    const id = answer.channel?.id
    if (!id) throw new Error('Slack opened a conversation without an id.')
    if (directChannels.size >= directChannelsMax) directChannels.delete(directChannels.keys().next().value!)
    directChannels.set(user, id)
    return id
  }

  async function post(channel: string, recipient: Recipient, slice: SliceToSend): Promise<DeliveryOutcome> {
    try {
      const call = client.chat.postMessage({
        channel,
        text: slice.message['text'] ?? '',
        ...(slice.message['blocks'] ? { blocks: JSON.parse(slice.message['blocks']) as KnownBlock[] } : {}),
        mrkdwn: false,
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
        metadata: { event_type: 'gate_broadcast', event_payload: { delivery_id: recipient.deliveryId } },
      })
      const { ts } = await untilAborted(call, slice.signal)
      return isTimestamp(ts)
        ? { state: 'ok', providerId: ts }
        : { state: 'unknown', code: 'unreadable_answer' }
    } catch (error) {
      if (slice.signal?.aborted) return { state: 'unknown', code: 'cancelled' }
      const failure = pausing(slackFailure(error))
      if (failure.code === 'channel_not_found') directChannels.delete(recipient.address)
      return failure
    }
  }

  async function lookUpOne(recipient: Recipient, slice: SliceToSend): Promise<DeliveryOutcome> {
    if (!isOneUserId(recipient.address)) return { state: 'unknown', code: 'invalid_user_id' }
    try {
      const channel = await withRateLimitRetries(() => directChannelOf(recipient.address), slice.signal)
      return await findDelivery(client, channel, recipient.deliveryId, slice.attemptedAt, slice.signal)
    } catch (error) {
      return { state: 'unknown', code: slice.signal?.aborted ? 'cancelled' : slackFailure(error).code }
    }
  }

  function pausing(failure: SlackFailure): SlackFailure {
    if (failure.state === 'not_done' && failure.code === 'ratelimited')
      limiter.pauseFor(failure.retryAfterMs ?? 0)
    return failure
  }
}

/** What `team` throws where Slack refuses it: repeating it would not help. `code`: short and safe. */
export class SlackRefusal extends Error {
  readonly code: string

  constructor(code: string) {
    super(`Slack refuses: ${code}`)
    this.name = 'SlackRefusal'
    this.code = code
  }
}

type Recipient = SliceToSend['recipients'][number]

const cancelledBeforeCall: DeliveryOutcome = { state: 'not_done', code: 'cancelled', retryAfterMs: 0 }

/** `conversations.open` takes a comma list and would open a group: one id, one person. */
function isOneUserId(address: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(address)
}

function isTimestamp(ts: unknown): ts is string {
  return typeof ts === 'string' && /^\d{1,12}\.\d{1,9}$/.test(ts)
}

import type { KnownBlock, WebClient } from '@slack/web-api'
import { limits } from '../../limits.ts'
import type { DeliveryOutcome, NotDone, SliceToSend, Waits } from '../ports.ts'
import { type RateLimiter, takeTurn } from '../rate-limiter.ts'
import { untilAborted } from '../until-aborted.ts'
import type { DirectChannels } from './direct-channels.ts'
import { findDelivery, withRateLimitRetries } from './history.ts'
import { type SlackFailure, slackFailure } from './outcome.ts'

/** A message as `slackChannel` freezes it. */
type Attachment = { fallback: string; blocks: KnownBlock[] }

/** What direct messages of one workspace share. */
export interface Workspace {
  client: WebClient
  limiter: RateLimiter
  /** For conversations that are opened: Slack limits each method by itself. */
  openingLimiter: RateLimiter
  directChannels: DirectChannels
}

export type Recipient = SliceToSend['recipients'][number]

/** Sends the message of a slice to one recipient, once. Never throws. */
export async function sendDirectMessage(
  workspace: Workspace,
  recipient: Recipient,
  slice: SliceToSend,
): Promise<DeliveryOutcome> {
  const known = slice.notDone?.get(recipient.address)
  const notDone = known ?? (await turnFor(workspace, recipient.address, slice))
  slice.onTurn?.()
  if (notDone) return notDone
  const opened = await open(workspace, recipient.address, slice)
  if (opened.state !== 'ok') return opened
  if (slice.signal?.aborted) return cancelledBeforeCall
  return post(workspace, opened.providerId, recipient, slice)
}

/** Opens the conversation with a user ahead of a message. @returns why nothing can be sent there now. Never throws */
export async function openAhead(
  workspace: Workspace,
  user: string,
  waits: Waits,
): Promise<NotDone | undefined> {
  if (!isOneUserId(user)) return invalidUser
  if (workspace.directChannels.of(user)) return undefined
  const missed = await turnIn(workspace.openingLimiter, waits)
  if (missed) return missed
  const opened = await open(workspace, user, waits, true)
  return opened.state === 'ok' ? undefined : opened
}

/** After an unknown outcome: looks for the recipient's message in their conversation. Never throws. */
export async function findDirectMessage(
  workspace: Workspace,
  { address, deliveryId }: Recipient,
  { attemptedAt, signal }: SliceToSend,
): Promise<DeliveryOutcome> {
  if (!isOneUserId(address)) return { state: 'unknown', code: 'invalid_user_id' }
  try {
    const channel = await withRateLimitRetries(() => directChannelOf(workspace, address), signal)
    return await findDelivery(workspace.client, { channel, deliveryId, attemptedAt }, signal)
  } catch (error) {
    return { state: 'unknown', code: signal?.aborted ? 'cancelled' : slackFailure(error).code }
  }
}

/**
 * A user's conversation as `providerId`. No message is sent yet, so a failure is never `unknown`.
 * @param hasTurn  it has waited for the limit of openings
 */
async function open(
  workspace: Workspace,
  user: string,
  waits: Waits,
  hasTurn = false,
): Promise<Extract<DeliveryOutcome, { state: 'ok' }> | NotDone> {
  const { openingLimiter: limiter, directChannels } = workspace
  if (!hasTurn && directChannels.of(user) === undefined) {
    // A consent request does not wait behind all the conversations of a broadcast, but it counts.
    if (limiter.pausedMs() > 0) return limitedFor(limiter)
    limiter.count()
  }
  try {
    return { state: 'ok', providerId: await untilAborted(directChannelOf(workspace, user), waits.signal) }
  } catch (error) {
    if (waits.signal?.aborted) return cancelledBeforeCall
    const failure = pauseIfLimited(limiter, slackFailure(error))
    if (failure.state === 'not_done') return failure
    return { state: 'not_done', code: failure.code, retryAfterMs: limits.providerConnectRetryMs }
  }
}

const turnFor = async ({ limiter }: Workspace, user: string, waits: Waits): Promise<NotDone | undefined> =>
  isOneUserId(user) ? turnIn(limiter, waits) : invalidUser

/** Waits for a turn. @returns why there is none now */
async function turnIn(limiter: RateLimiter, waits: Waits): Promise<NotDone | undefined> {
  if (limiter.pausedMs() > 0) return limitedFor(limiter)
  try {
    await takeTurn(limiter, waits)
    return undefined
  } catch {
    return cancelledBeforeCall
  }
}

/** The conversation with a user. Throws what the SDK throws. */
export async function directChannelOf({ client, directChannels }: Workspace, user: string): Promise<string> {
  const known = directChannels.of(user)
  if (known) return known
  const answer = await client.conversations.open({ users: user })
  const id = answer.channel?.id
  if (!id) throw new Error('Slack returned a conversation without an id.')
  directChannels.note(user, id)
  return id
}

async function post(
  workspace: Workspace,
  channel: string,
  recipient: Recipient,
  { message, signal }: SliceToSend,
): Promise<DeliveryOutcome> {
  try {
    const call = workspace.client.chat.postMessage({
      channel,
      text: message['text'] ?? '',
      ...(message['blocks'] ? { blocks: JSON.parse(message['blocks']) as KnownBlock[] } : {}),
      ...(message['attachments'] ? { attachments: JSON.parse(message['attachments']) as Attachment[] } : {}),
      mrkdwn: false,
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
      metadata: metadataOf(message, recipient),
    })
    const { ts } = await untilAborted(call, signal)
    return isTimestamp(ts) ? { state: 'ok', providerId: ts } : { state: 'unknown', code: 'unreadable_answer' }
  } catch (error) {
    if (signal?.aborted) return { state: 'unknown', code: 'cancelled' }
    const failure = pauseIfLimited(workspace.limiter, slackFailure(error))
    if (failure.code === 'channel_not_found') workspace.directChannels.forget(recipient.address)
    return failure
  }
}

/**
 * Any app and member of the workspace can read it: an opaque id, by which the message is found again, and the action's number.
 * @source Slack: message metadata; values are strings, numbers and booleans
 */
function metadataOf(message: SliceToSend['message'], { deliveryId }: Recipient) {
  const number = message['action_number']
  return {
    event_type: 'gate_broadcast',
    event_payload: {
      delivery_id: deliveryId,
      ...(number === undefined ? {} : { action_number: Number(number) }),
    },
  }
}

function pauseIfLimited(limiter: RateLimiter, failure: SlackFailure): SlackFailure {
  if (failure.state === 'not_done' && failure.code === 'ratelimited')
    limiter.pauseFor(failure.retryAfterMs ?? 0)
  return failure
}

const invalidUser: NotDone = { state: 'not_done', code: 'invalid_user_id' }

const limitedFor = (limiter: RateLimiter): NotDone => ({
  state: 'not_done',
  code: 'ratelimited',
  retryAfterMs: limiter.pausedMs(),
})

const cancelledBeforeCall: NotDone = { state: 'not_done', code: 'cancelled', retryAfterMs: 0 }

/** One user id: `conversations.open` accepts a comma-separated list and would open a group. */
function isOneUserId(address: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(address)
}

function isTimestamp(ts: unknown): ts is string {
  return typeof ts === 'string' && /^\d{1,12}\.\d{1,9}$/.test(ts)
}

import type { WebClient } from '@slack/web-api'
import type { DeliveryOutcome } from '../ports.ts'
import { slackFailure } from './outcome.ts'
import { untilAborted, waitUntil } from '../until-aborted.ts'

/** Clocks differ: how much older a message may appear in Slack's history. */
const slackHistorySkewMs = 120_000

/** Slack's page size for apps outside its marketplace, pages read, and waits for its rate limit. */
const slackHistoryPageRows = 15
const slackHistoryPagesMax = 10
const slackRateLimitWaitsMax = 3
const slackRateLimitWaitMsMax = 90_000

/**
 * Searches the conversation's history for a delivery by the delivery id in the message's metadata.
 * @returns `ok` with the message's ts; `unknown` where it is not found. Throws what the SDK throws
 * @source Slack: `conversations.history` returns metadata only when asked to
 */
export async function findDelivery(
  client: WebClient,
  { channel, deliveryId, attemptedAt }: { channel: string; deliveryId: string; attemptedAt: Date },
  signal?: AbortSignal,
): Promise<DeliveryOutcome> {
  const oldest = ((attemptedAt.getTime() - slackHistorySkewMs) / 1000).toFixed(6)
  let cursor: string | undefined
  for (let page = 0; page < slackHistoryPagesMax; page += 1) {
    const where = {
      channel,
      oldest,
      limit: slackHistoryPageRows,
      include_all_metadata: true,
      ...(cursor ? { cursor } : {}),
    }
    const answer = await withRateLimitRetries(() => client.conversations.history(where), signal)
    const found = answer.messages?.find(({ metadata }) => isOurs(metadata, deliveryId))
    if (found?.ts) return { state: 'ok', providerId: found.ts }
    cursor = answer.response_metadata?.next_cursor
    if (!answer.has_more || !cursor) return { state: 'unknown', code: 'not_in_history' }
  }
  return { state: 'unknown', code: 'history_too_long' }
}

function isOurs(
  metadata: { event_type?: string; event_payload?: unknown } | undefined,
  deliveryId: string,
): boolean {
  const payload = metadata?.event_payload as { delivery_id?: unknown } | undefined
  return metadata?.event_type === 'gate_broadcast' && payload?.delivery_id === deliveryId
}

/**
 * Repeats a harmless call a few times when Slack's rate limit applies: a slice of twenty lookups often exceeds it, and
 * giving up would leave a delivery unknown although Slack has the answer.
 */
export async function withRateLimitRetries<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await untilAborted(call(), signal)
    } catch (error) {
      const failure = slackFailure(error)
      const retryAfterMs = failure.state === 'not_done' ? failure.retryAfterMs : undefined
      if (
        retryAfterMs === undefined ||
        retryAfterMs > slackRateLimitWaitMsMax ||
        waits === slackRateLimitWaitsMax
      )
        throw error
      if (!(await waitUntil(Date.now() + retryAfterMs, signal))) throw error
    }
  }
}

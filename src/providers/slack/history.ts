import type { WebClient } from '@slack/web-api'
import type { DeliveryOutcome } from '../ports.ts'
import { slackFailure } from './outcome.ts'
import { untilAborted, waitUntil } from '../until-aborted.ts'

/** Clocks differ; our first attempt may look older to Slack. */
const clockSkewMs = 120_000
/** Apps outside Slack's marketplace get no more objects a page. */
const pageRows = 15
const pagesMax = 10
const rateLimitWaitsMax = 3
const rateLimitWaitMsMax = 90_000

/**
 * Looks for a delivery in its conversation's history by the delivery id in the message's metadata.
 * @returns `ok` with the message's ts; `unknown` where it is not there. Throws what the SDK throws
 * @source Slack: `conversations.history` returns metadata only when asked to
 */
export async function findDelivery(
  client: WebClient,
  channel: string,
  deliveryId: string,
  attemptedAt: Date,
  signal?: AbortSignal,
): Promise<DeliveryOutcome> {
  const oldest = ((attemptedAt.getTime() - clockSkewMs) / 1000).toFixed(6)
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const where = {
      channel,
      oldest,
      limit: pageRows,
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
 * A call that is harmless to repeat, waiting out Slack's rate limit a few times: a slice of twenty lookups easily meets
 * it, and giving up there would leave a delivery unknown that Slack can tell.
 */
export async function withRateLimitRetries<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await untilAborted(call(), signal)
    } catch (error) {
      const failure = slackFailure(error)
      const retryAfterMs = failure.state === 'not_done' ? failure.retryAfterMs : undefined
      if (retryAfterMs === undefined || retryAfterMs > rateLimitWaitMsMax || waits === rateLimitWaitsMax)
        throw error
      if (!(await waitUntil(Date.now() + retryAfterMs, signal))) throw error
    }
  }
}

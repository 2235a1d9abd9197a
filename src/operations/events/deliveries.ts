import * as stored from '../../db/queries/events/deliveries.ts'
import type { DeliveryRow } from '../../db/queries/events/deliveries.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { noEndpoint } from './endpoints.ts'

export type { DeliveryRow } from '../../db/queries/events/deliveries.ts'

/** Deliveries to an endpoint, newest first. `before`: the last one of the page before. */
export const listDeliveries = (
  { db, account }: AccountContext,
  page: { endpointId: string; before: number | null; limitRows: number },
): Promise<DeliveryRow[]> => stored.listDeliveries(db, account, page)

/** Sends a test to an endpoint. @returns the id of the event @throws GateError `not_found`, `conflict` where it is off */
export async function testEndpoint(context: AdminContext, endpointId: string): Promise<string> {
  const { outcome, event_id: id } = await stored.testEndpoint(context.db, { ...writeOf(context), endpointId })
  requireOn(endpointId, outcome)
  return id!
}

/**
 * Sends events again under their ids: one that was queued before, or all since a moment that the endpoint wants now.
 * @returns how many, and where to go on if there are more
 * @throws GateError `not_found`, `conflict` where the endpoint is off, `invalid` where the moment is too long ago
 */
export async function replayEvents(
  context: AdminContext,
  endpointId: string,
  what: { event: string } | { since: Date },
): Promise<{ queued: number; next_since?: Date }> {
  if ('since' in what && what.since.getTime() < Date.now() - limits.eventsKeptMs)
    throw new GateError('invalid', 'since must be in the last 30 days.', { param: 'since' })
  const { outcome, queued, next_from } = await stored.replayEvents(context.db, {
    ...writeOf(context),
    endpointId,
    limitRows: limits.eventsReplayedMax,
    ...('since' in what
      ? { eventOfEndpoint: null, from: what.since }
      : { eventOfEndpoint: what.event, from: null }),
  })
  if (outcome === 'unknown')
    throw new GateError(
      'not_found',
      'This event was not queued for this endpoint in the last 30 days. Replay since a time.',
      {
        param: 'event',
      },
    )
  requireOn(endpointId, outcome)
  return { queued, ...(next_from === null ? {} : { next_since: next_from }) }
}

/** A delivery as programs see it. */
export const viewDelivery = (row: DeliveryRow) => ({
  delivery: row.n,
  event: row.event_id,
  type: row.type,
  at: row.at,
  ...(row.action_id === null ? {} : { action: row.action_id }),
  state: row.state,
  ...(row.state === 'waiting' ? { next_attempt_at: row.due_at } : {}),
  attempts: row.attempts,
  ...(row.attempted_at === null
    ? {}
    : {
        last_attempt: {
          at: row.attempted_at,
          ms: row.ms,
          ...(row.status === null ? {} : { status: row.status }),
          ...(row.code === null ? {} : { error: row.code }),
          ...(row.answer === null ? {} : { answer: row.answer }),
        },
      }),
})

function requireOn(endpointId: string, outcome: 'queued' | 'missing' | 'off'): void {
  if (outcome === 'missing') throw noEndpoint(endpointId)
  if (outcome === 'off')
    throw new GateError('conflict', `Endpoint ${endpointId} is off. Turn it on first. Nothing was sent.`)
}

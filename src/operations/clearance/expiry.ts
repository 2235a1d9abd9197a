import type { Claim } from '../../db/queries/actions/decide.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'

/** The event of an expiry. Every claim carries it: one that comes too late closes the row instead. */
export function expiryEvent(uuid: string): Pick<Claim, 'expireEventId'> {
  return { expireEventId: eventId(uuid, 'expired') }
}

/** The claim that closes a proposal past its expiry. It competes with every other decision. */
export function expiryOf(row: { account: string; id: number; uuid: string }): Claim {
  const event = expiryEvent(row.uuid)
  return {
    account: row.account,
    id: row.id,
    uuid: row.uuid,
    decision: 'expire',
    commandId: event.expireEventId,
    eventId: event.expireEventId,
    ...event,
    dueMs: limits.outboxDueMs,
    versions: null,
    consent: null,
    credential: null,
    idempotency: null,
  }
}

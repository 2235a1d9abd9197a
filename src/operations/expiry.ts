import { type Claim } from '../db/queries/decide.ts'
import { eventId } from '../ledger/digest.ts'
import { entryTail } from '../ledger/entry.ts'
import { limits } from '../limits.ts'

const tail = entryTail({ kind: 'expired', actor: 'system', data: { closed_reason: 'expired' } })

/** The entry of an expiry, which every claim carries in case it comes too late. */
export function expiryEntry(uuid: string): Pick<Claim, 'expireEventId' | 'expireEntryTail'> {
  return { expireEventId: eventId(uuid, 'expired'), expireEntryTail: tail }
}

/** The claim that closes a proposal past its expiry. It races like every other. */
export function expiryOf(row: { account: string; id: number; uuid: string }): Claim {
  const entry = expiryEntry(row.uuid)
  return {
    account: row.account,
    id: row.id,
    decision: 'expire',
    commandId: entry.expireEventId,
    eventId: entry.expireEventId,
    entryTail: tail,
    ...entry,
    dueMs: limits.outboxDueMs,
    versions: null,
    consent: null,
    idempotency: null,
  }
}

import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'
import { type ActionRow, type Outcome, outcomeOf } from './actions.ts'

/** `counting`: the amount still counts towards limits. `empty`: there is no payload. */
export type EraseOutcome = 'erased' | 'missing' | 'open' | 'counting' | 'empty'

/** Erases the payload of a finished action, and records that in the ledger. */
export async function erasePayload(
  db: Db,
  e: AdminWrite & { id: number; reason: string },
): Promise<Outcome<EraseOutcome>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.erase_payload(
        p_account => ${e.account}, p_session => ${e.session}, p_id => ${e.id}, p_reason => ${e.reason},
        p_event => ${e.eventId}) r`,
  )
  return outcomeOf(rows)
}

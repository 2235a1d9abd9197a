import { type LedgerEvent } from '../../ledger/admin-event.ts'
import { type Db } from '../connect.ts'

/**
 * Stores a policy as the version after `base`.
 * @param p.document  JSON text
 * @returns the new version; null where `base` is not the newest any more
 */
export async function storePolicy(
  db: Db,
  p: { account: string; base: number; document: string; event: LedgerEvent },
): Promise<number | null> {
  const rows = await db.once<{ version: number | null }>(
    (sql) => sql`
      select gate.set_policy(
        p_account => ${p.account}, p_base => ${p.base}, p_document => ${p.document}::text::json,
        p_event => ${p.event.eventId}, p_tail => ${p.event.entryTail}
      ) as version`,
  )
  return rows[0]!.version
}

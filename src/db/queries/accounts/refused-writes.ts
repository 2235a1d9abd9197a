import type { Db } from '../../connect.ts'

/** Notes in the ledger that a write came by a key that was revoked or has expired: at most once a minute for each key. */
export async function noteRefusedKey(
  db: Db,
  r: { keyHash: Buffer; eventId: string; operation: string; source: string },
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.note_refused_key(
        p_hash => ${r.keyHash}, p_event => ${r.eventId}, p_operation => ${r.operation}, p_source => ${r.source})`,
  )
}

/** A write that was refused by what its key may do, or by a session that is over. */
export interface RefusedWrite {
  account: string
  eventId: string
  apiKey: Buffer | null
  /** A member's id, `admin:` and an administrator's, or `unknown`. */
  actor: string
  operation: string
  source: string
  reason: string
}

/** Notes in the ledger that a write was refused. Nothing else was written. */
export async function noteRefusedWrite(db: Db, r: RefusedWrite): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.note_refused_write(
        p_account => ${r.account}, p_event => ${r.eventId}, p_api_key => ${r.apiKey}, p_actor => ${r.actor},
        p_operation => ${r.operation}, p_source => ${r.source}, p_reason => ${r.reason})`,
  )
}

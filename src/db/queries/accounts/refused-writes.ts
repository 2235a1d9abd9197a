import type { Db } from '../../connect.ts'

/** Records in the ledger a write with a revoked or expired key, at most once a minute per key. */
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

/** A write that was refused because its key lacks a right or its session has ended. */
export interface RefusedWrite {
  account: string
  eventId: string
  apiKey: Buffer | null
  /** A member's id, `admin:` and an administrator's id, or `unknown`. */
  actor: string
  operation: string
  source: string
  reason: string
}

/** Records a refused write in the ledger. */
export async function noteRefusedWrite(db: Db, r: RefusedWrite): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.note_refused_write(
        p_account => ${r.account}, p_event => ${r.eventId}, p_api_key => ${r.apiKey}, p_actor => ${r.actor},
        p_operation => ${r.operation}, p_source => ${r.source}, p_reason => ${r.reason})`,
  )
}

import { type Db } from '../connect.ts'

/** A write that its credential does not allow. Names ids and operations, nothing that was sent. */
export interface RefusedWrite {
  account: string
  eventId: string
  /** Hash of the API key; null where there was none. */
  key: Buffer | null
  /** A member's id, `admin:` and an administrator's, or `unknown`. */
  actor: string
  operation: string
  source: string
  reason: string
}

/** Notes in the ledger that a write was refused. Changes nothing else. */
export async function noteRefusedWrite(db: Db, w: RefusedWrite): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.note_refused_write(
        p_account => ${w.account}, p_event => ${w.eventId}, p_api_key => ${w.key}, p_actor => ${w.actor},
        p_operation => ${w.operation}, p_source => ${w.source}, p_reason => ${w.reason})`,
  )
}

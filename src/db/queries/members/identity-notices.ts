import type { ConsentChannel } from '../../../gate/consent.ts'
import type { Db } from '../../connect.ts'

/** A message that tells somebody of a changed identity. */
export interface IdentityNotice {
  account_id: string
  notice_id: string
  /** Where it goes. */
  via: ConsentChannel
  address: string
  /** What was changed. */
  identity: ConsentChannel
  /** The new identity, masked; null where it was removed. */
  next: string | null
  /** The member had none before. */
  is_first: boolean
  /** An administrator's address, or the actor as the ledger names it; null where nobody said. */
  changed_by: string | null
  changed_at: Date
  /** This one included. */
  tries: number
  account_name: string
  integrations_version: number
  settles_after_hours: number
}

/** Takes messages that are due, of whatever account; others skip each for `againMs`, twice as long after each try. */
export async function takeIdentityNotices(
  db: Db,
  limitRows: number,
  againMs: number,
): Promise<IdentityNotice[]> {
  return db.once(
    (sql) => sql`select * from gate.take_identity_notices(p_limit => ${limitRows}, p_again_ms => ${againMs})`,
  )
}

/** Forgets a message that was sent or given up. */
export async function endIdentityNotice(db: Db, account: string, noticeId: string): Promise<void> {
  await db.run(
    (sql) => sql`select gate.end_identity_notice(p_account => ${account}, p_notice => ${noticeId})`,
  )
}

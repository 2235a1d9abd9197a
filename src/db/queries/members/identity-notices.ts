import type { ConsentChannel } from '../../../gate/consent.ts'
import type { Db } from '../../connect.ts'

/** A notice about a changed identity. */
export interface IdentityNotice {
  account_id: string
  notice_id: string
  /** The channel it is sent to. */
  via: ConsentChannel
  address: string
  /** The identity that changed. */
  identity: ConsentChannel | 'passkey' | 'company'
  /** The new identity, masked; null if it was removed. */
  next: string | null
  /** Whether the member had no such identity before. */
  is_first: boolean
  /** An administrator's address, or the actor of the ledger entry; null if unknown. */
  changed_by: string | null
  changed_at: Date
  /** Number of attempts, including this one. */
  tries: number
  account_name: string
  integrations_version: number
  settles_after_hours: number
}

/** Takes due notices of all accounts; other workers skip each for `againMs`, doubled after each attempt. */
export async function takeIdentityNotices(
  db: Db,
  limitRows: number,
  againMs: number,
): Promise<IdentityNotice[]> {
  return db.once(
    (sql) => sql`select * from gate.take_identity_notices(p_limit => ${limitRows}, p_again_ms => ${againMs})`,
  )
}

/** Deletes a notice that was sent or given up. */
export async function endIdentityNotice(db: Db, account: string, noticeId: string): Promise<void> {
  await db.run(
    (sql) => sql`select gate.end_identity_notice(p_account => ${account}, p_notice => ${noticeId})`,
  )
}

import type { ChatChannel } from '../../../gate/consent.ts'
import type { Db } from '../../connect.ts'

/** A message to a member about what concerns approvals, which is due. Addresses are null where the person is gone, or has none. */
export type MemberNotice = {
  account_id: string
  /** The id of the delegation, or the number of the action. */
  subject: string
  member_id: string
  /** Number of attempts, including this one. */
  tries: number
  account_name: string
  integrations_version: number
} & Record<'email' | ChatChannel, string | null> &
  (
    | { about: 'delegation_start' | 'delegation_end'; facts: DelegationFacts }
    | { about: 'glass_break'; facts: GlassFacts }
  )

export interface DelegationFacts {
  /** The other one of the two. */
  other_name: string
  /** The message is for the deputy. */
  is_deputy: boolean
  kinds: string[] | null
  until: string
  /** Null: its time is over. */
  ended_by: string | null
}

export interface GlassFacts {
  kind: string
  by_name: string
  for_name: string
  review_due_at: string
}

/** Takes messages of all accounts that are due; other workers skip each for `againMs`, doubled after each attempt. */
export const takeMemberNotices = (db: Db, limitRows: number, againMs: number): Promise<MemberNotice[]> =>
  db.once(
    (sql) => sql`select * from gate.take_member_notices(p_limit => ${limitRows}, p_again_ms => ${againMs})`,
  )

/** Records that somebody was told, or that it was given up. */
export async function settleMemberNotice(db: Db, n: MemberNotice): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.settle_member_notice(
        p_account => ${n.account_id}, p_about => ${n.about}, p_subject => ${n.subject}, p_member => ${n.member_id})`,
  )
}

import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** An action that a named member executed in place of those who must approve it, and the review of that. */
export interface GlassBreakRow {
  action_id: number
  kind: string
  member_id: string
  /** Who broke the glass, and for whom the action was. */
  by_name: string
  for_member: string
  for_name: string
  /** Null where it was erased. */
  reason: string | null
  at: Date
  review_due_at: Date
  reviewed_at: Date | null
  /** Of a member; an administrator by their address. */
  reviewed_by: string | null
  is_justified: boolean | null
  note: string | null
  is_overdue: boolean
}

/** The newest ones, or that of one action: those that wait for a review first. */
export async function listGlassBreaks(
  db: Db,
  account: string,
  page: { id: number | null; isOpenOnly: boolean; limitRows: number },
): Promise<GlassBreakRow[]> {
  return db.read(
    (sql) => sql`
      select g.* from gate.tenant(${account}) t(id),
      lateral (
        select b.action_id, a.kind, b.member_id, w.name as by_name, a.member_id as for_member, p.name as for_name, b.reason, b.at,
          b.review_due_at, b.reviewed_at,
          coalesce(r.name, d.email, b.reviewed_by) as reviewed_by, b.is_justified, b.note,
          b.reviewed_at is null and b.review_due_at <= clock_timestamp() as is_overdue
        from gate.glass_break b
        join gate.action a on a.account_id = b.account_id and a.id = b.action_id
        join gate.member w on w.account_id = b.account_id and w.member_id = b.member_id
        join gate.member p on p.account_id = b.account_id and p.member_id = a.member_id
        left join gate.member r on r.account_id = b.account_id and r.member_id = b.reviewed_by
        left join gate.admin d on d.account_id = b.account_id and 'admin:' || d.admin_id = b.reviewed_by
        where b.account_id = t.id
          ${page.id === null ? sql`` : sql`and b.action_id = ${page.id}`}
          ${page.isOpenOnly ? sql`and b.reviewed_at is null` : sql``}
        order by b.reviewed_at is null desc, b.at desc
        limit ${page.limitRows}
      ) g`,
  )
}

export type ReviewOutcome = 'reviewed' | 'missing' | 'done' | 'forbidden'

/** Records what somebody else thinks of it. */
export async function reviewGlassBreak(
  db: Db,
  r: { account: string; session: Buffer; eventId: string; id: number; isJustified: boolean; note: string },
): Promise<ReviewOutcome> {
  const given = jsonArgument({ event: r.eventId, id: r.id, is_justified: r.isJustified, note: r.note })
  const rows = await db.run<{ outcome: ReviewOutcome }>(
    (sql) => sql`
      select gate.review_glass_break(
        p_account => ${r.account}, p_session => ${r.session}, p_given => ${given}::text::jsonb) as outcome`,
  )
  return rows[0]!.outcome
}

import type { Db } from '../../connect.ts'
import type { ActionRow } from './actions.ts'

/** A page of open proposals, oldest first unless `isNewestFirst`: of the account, or of one member. */
export async function pageOpenProposals(
  db: Db,
  account: string,
  page: { memberId: string | null; after: number; limitRows: number; isNewestFirst?: boolean | undefined },
): Promise<ActionRow[]> {
  return db.read<ActionRow>((sql) => {
    const order = page.isNewestFirst ? sql`desc` : sql``
    return sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (
        select * from gate.action
        where account_id = t.id and status = 'proposed' and id > ${page.after}
          ${page.memberId === null ? sql`` : sql`and member_id = ${page.memberId}`}
        order by id ${order}
        limit ${page.limitRows}
      ) a
      order by a.id ${order}`
  })
}

/**
 * What waits for the decision of a member, those first that expire first; and how many wait in all: what was proposed for them and they
 * have not consented to, and what they are asked to approve.
 */
export async function listWaiting(
  db: Db,
  account: string,
  page: { memberId: string; skipRows: number; limitRows: number },
): Promise<(ActionRow & { waiting: number })[]> {
  return db.read<ActionRow & { waiting: number }>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (
        select o.*, (count(*) over ())::integer as waiting from gate.action o
        where o.account_id = t.id and o.status = 'proposed' and o.decision is null and o.id in (
          select p.id from gate.action p
          where p.account_id = t.id and p.member_id = ${page.memberId} and p.status = 'proposed' and p.decision is null
            and p.consented_at is null
          union all
          select q.action_id from gate.consent_request q
          join gate.action p on p.account_id = q.account_id and p.id = q.action_id
          where q.account_id = t.id and q.member_id = ${page.memberId} and p.member_id <> ${page.memberId}
            and p.status = 'proposed' and p.decision is null and p.consented_at is not null and not exists (
              select from gate.approval v
              where v.account_id = t.id and v.action_id = p.id and v.digest = p.digest and v.member_id = ${page.memberId}
                and v.ended_at is null)
        )
        order by o.expires_at, o.id
        limit ${page.limitRows} offset ${page.skipRows}
      ) a
      order by a.expires_at, a.id`,
  )
}

/** What ended since a time without an answer of its member: expired, cancelled or denied. Newest first. */
export async function listEndedWithoutMember(
  db: Db,
  account: string,
  page: { memberId: string; since: Date; limitRows: number },
): Promise<ActionRow[]> {
  return db.read<ActionRow>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (
        select * from gate.action
        where account_id = t.id and member_id = ${page.memberId} and decision is not null and decided_at > ${page.since}
          and decision <> 'confirm' and closed_reason is distinct from 'member_declined'
        order by decided_at desc
        limit ${page.limitRows}
      ) a
      order by a.decided_at desc, a.id desc`,
  )
}

/** The newest decided proposals of a member, however they were decided. */
export async function listDecided(
  db: Db,
  account: string,
  page: { memberId: string; limitRows: number },
): Promise<ActionRow[]> {
  return db.read<ActionRow>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (
        select * from gate.action
        where account_id = t.id and member_id = ${page.memberId} and decision is not null
        order by decided_at desc
        limit ${page.limitRows}
      ) a
      order by a.decided_at desc, a.id desc`,
  )
}

export interface Figures {
  open_proposals: number
  keys_in_force: number
  active_members: number
  live_previews: number
}

/** Current counts of an account. */
export async function readFigures(db: Db, account: string): Promise<Figures> {
  const rows = await db.read<Figures>(
    (sql) => sql`
      select f.* from gate.tenant(${account}) t(id),
      lateral (
        select
          (select count(*) from gate.action where account_id = t.id and status = 'proposed') as open_proposals,
          (
            select count(*) from gate.api_key
            where account_id = t.id and grant_id is null and revoked_at is null
              and (expires_at is null or expires_at > clock_timestamp())
          ) as keys_in_force,
          (select count(*) from gate.member where account_id = t.id and is_active) as active_members,
          (select count(*) from gate.preview where account_id = t.id and ended_at is null) as live_previews
        offset 0
      ) f`,
  )
  return rows[0]!
}

/**
 * Denials of the last 24 hours, up to `limitRows`, newest first by when they were denied: proposals by their id, which is by
 * time, and refused confirms by when they were decided. So it takes as long whatever was denied before.
 */
export async function listDenialsOfDay(
  db: Db,
  account: string,
  limitRows: number,
): Promise<(ActionRow & { denied_at: Date })[]> {
  return db.read<ActionRow & { denied_at: Date }>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (select statement_timestamp() - interval '24 hours' as since offset 0) day,
      lateral (
        select coalesce((
          select i.id from gate.action i
          where i.account_id = t.id and i.created_at > day.since
          order by i.created_at, i.id
          limit 1
        ), ${idMax})::bigint as id
        offset 0
      ) first,
      lateral (
        select d.*, coalesce(d.decided_at, d.created_at) as denied_at from (
          select p.* from (
            select * from gate.action
            where account_id = t.id and (status, id) >= ('denied', first.id) and (status, id) < ('denied', ${idMax}::bigint)
            order by status desc, id desc
            limit ${limitRows}
          ) p
          where p.decision is distinct from 'deny'
          union all
          (
            select * from gate.action
            where account_id = t.id and decision = 'deny' and decided_at > day.since
            order by decided_at desc
            limit ${limitRows}
          )
        ) d
        order by denied_at desc, d.id desc
        limit ${limitRows}
      ) a
      order by a.denied_at desc, a.id desc`,
  )
}

const idMax = Number.MAX_SAFE_INTEGER

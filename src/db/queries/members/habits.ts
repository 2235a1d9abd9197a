import type { Db } from '../../connect.ts'

/** How a member decided about proposals since a time. Durations in milliseconds, from proposal to confirm. */
export interface HabitsRow {
  member_id: string
  name: string
  /** Identifies them in actions. */
  email: string | null
  slack: string | null
  is_active: boolean
  confirmed: number
  declined: number
  hasty: number
  median_ms: number | null
  p90_ms: number | null
  /** What mandates decided for them: in none of the numbers above. */
  by_mandate: number
  /** Their open proposals. */
  open: number
}

/** Members who decided since a time or have open proposals, most confirms first, up to `limitRows`. */
export async function readHabits(
  db: Db,
  account: string,
  of: { since: Date; hastyMs: number; limitRows: number },
): Promise<HabitsRow[]> {
  return db.read<HabitsRow>(
    (sql) => sql`
      select h.* from gate.tenant(${account}) t(id),
      lateral (
        select m.member_id, m.name, m.email, m.slack, m.is_active,
          coalesce(d.confirmed, 0) as confirmed, coalesce(d.declined, 0) as declined, coalesce(d.hasty, 0) as hasty,
          d.median_ms, d.p90_ms, coalesce(d.by_mandate, 0) as by_mandate, coalesce(o.open, 0) as open
        from (
          select member_id,
            count(*) filter (where decision = 'confirm' and not is_by_mandate) as confirmed,
            count(*) filter (where decision = 'cancel') as declined,
            count(*) filter (where decision = 'confirm' and not is_by_mandate and took_ms <= ${of.hastyMs}) as hasty,
            (percentile_cont(0.5) within group (order by took_ms) filter (where decision = 'confirm' and not is_by_mandate))::float8
              as median_ms,
            (percentile_cont(0.9) within group (order by took_ms) filter (where decision = 'confirm' and not is_by_mandate))::float8
              as p90_ms,
            count(*) filter (where is_by_mandate) as by_mandate
          from (
            select a.member_id, a.decision, a.mandate_id is not null as is_by_mandate,
              (extract(epoch from a.decided_at - a.created_at) * 1000)::float8 as took_ms
            from gate.action a
            where a.account_id = t.id and a.decision in ('confirm', 'cancel') and a.decided_at > ${of.since}
              and a.member_id is not null
          ) decided
          group by member_id
        ) d
        full join (
          select a.member_id, count(*) as open from gate.action a
          where a.account_id = t.id and a.status = 'proposed' and a.decision is null and a.member_id is not null
          group by a.member_id
        ) o on o.member_id = d.member_id
        join gate.member m on m.account_id = t.id and m.member_id = coalesce(d.member_id, o.member_id)
        order by coalesce(d.confirmed, 0) desc, m.member_id
        limit ${of.limitRows}
      ) h
      order by h.confirmed desc, h.member_id`,
  )
}

import type { Db } from '../../connect.ts'

/** How many proposals of a day ended in one way. */
export interface OutcomeRow {
  /** The day, counted from 0 in the order of the request. */
  day: number
  outcome: 'executed' | 'denied' | 'cancelled' | 'expired' | 'open'
  /** The code of the denial; null also where none was recorded. */
  denial_code: string | null
  count: number
}

/**
 * The proposals that were made on some days, by outcome. Each day is read from an index of its own, up to `rowsPerDayMax`
 * proposals, so that the time it takes does not grow with the account.
 */
export async function countOutcomes(
  db: Db,
  account: string,
  of: { days: { from: Date; to: Date }[]; rowsPerDayMax: number },
): Promise<OutcomeRow[]> {
  const [from, to] = [
    of.days.map((day) => day.from.toISOString()),
    of.days.map((day) => day.to.toISOString()),
  ]
  return db.read<OutcomeRow>(
    (sql) => sql`
      select (d.n - 1)::integer as day, o.outcome, o.denial_code, o.count
      from gate.tenant(${account}) t(id),
      unnest(${from}::text[], ${to}::text[]) with ordinality d(first, last, n),
      lateral (
        select p.outcome, p.denial_code, count(*) as count
        from (
          select a.denial_code, case
            when a.status = 'proposed' then 'open'
            when a.closed_reason = 'expired' then 'expired'
            else a.status
          end as outcome
          from gate.action a
          where a.account_id = t.id and (a.requires_confirmation or a.status = 'denied')
            and a.created_at >= d.first::timestamptz and a.created_at < d.last::timestamptz
          limit ${of.rowsPerDayMax}
        ) p
        group by p.outcome, p.denial_code
      ) o`,
  )
}

/** How long decisions took, from proposal to confirm or decline. */
export interface DecisionTimes {
  count: number
  /** Null: nothing was decided. */
  median_ms: number | null
  p90_ms: number | null
}

/** The times of the newest decisions since a moment, up to `rowsMax`. */
export async function measureDecisions(
  db: Db,
  account: string,
  of: { since: Date; rowsMax: number },
): Promise<DecisionTimes> {
  const rows = await db.read<DecisionTimes>(
    (sql) => sql`
      select m.* from gate.tenant(${account}) t(id),
      lateral (
        select count(*) as count,
          (percentile_cont(0.5) within group (order by took_ms))::float8 as median_ms,
          (percentile_cont(0.9) within group (order by took_ms))::float8 as p90_ms
        from (
          select (extract(epoch from a.decided_at - a.created_at) * 1000)::float8 as took_ms
          from gate.action a
          where a.account_id = t.id and a.decision in ('confirm', 'cancel') and a.decided_at > ${of.since}
            and a.mandate_id is null
          order by a.decided_at desc
          limit ${of.rowsMax}
        ) decided
      ) m`,
  )
  return rows[0]!
}

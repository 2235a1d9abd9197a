import type { Runner } from '../../../gate/runner-calls/tool-call.ts'
import type { Db } from '../../connect.ts'

/** Calls of a key that tell its runners, on the console's page of runners. */
const runnersSeenCallsMax = 50
const toolCountsPerDayMax = 10_000

/** A key of agent runners: one machine. */
export interface MachineRow {
  key_id: string
  /** Its label. */
  name: string
  last4: string
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  member_id: string
  member: string
  /** The runners that its newest calls came from. */
  runners: Runner[]
  /** Null: none is kept. */
  last_call_at: Date | null
}

/** The runner keys of an account, those in force first, then the newest. */
export async function listMachines(db: Db, account: string, limit: number): Promise<MachineRow[]> {
  return db.read<MachineRow>(
    (sql) => sql`
      select k.key_id, k.name, k.last4, k.created_at, k.expires_at, k.revoked_at, k.actors[1] as member_id,
        coalesce(m.name, k.actors[1]) as member, coalesce(c.runners, '{}') as runners, c.last_call_at
      from gate.tenant(${account}) t(id),
      lateral (
        select *, r.revoked_at is null and (r.expires_at is null or r.expires_at > clock_timestamp()) as is_in_force
        from gate.api_key r
        where r.account_id = t.id and r.powers = array['runner']
        order by is_in_force desc, r.created_at desc, r.key_id
        limit ${limit}
      ) k
      left join gate.member m on m.account_id = k.account_id and m.member_id = k.actors[1],
      lateral (
        select array_agg(distinct n.runner order by n.runner) as runners, max(n.at) as last_call_at
        from unnest(array['allow', 'deny', 'consent']) d(decision),
        lateral (
          select f.runner, f.at from gate.tool_call f
          where f.account_id = t.id and f.key_id = k.key_id and f.decision = d.decision
          order by f.n desc
          limit ${runnersSeenCallsMax}
        ) n
      ) c
      order by k.is_in_force desc, c.last_call_at desc nulls last, k.created_at desc, k.key_id`,
  )
}

/** Answers to tool calls. */
export interface CallCounts {
  allowed: number
  denied: number
  asked: number
}

/** The calls of one day, counted from 0 in the order of the request. `is_more`: there were more than were counted. */
export type DayOfCalls = CallCounts & { day: number; is_more: boolean }

/** The answers of some days. Each day is read from an index, up to `toolCountsPerDayMax` counts of an hour. */
export async function countCalls(
  db: Db,
  account: string,
  days: { from: Date; to: Date }[],
): Promise<DayOfCalls[]> {
  const [from, to] = [days.map((day) => day.from.toISOString()), days.map((day) => day.to.toISOString())]
  const rowsMax = toolCountsPerDayMax
  return db.read<DayOfCalls>(
    (sql) => sql`
      select (d.n - 1)::integer as day, o.* from gate.tenant(${account}) t(id),
      unnest(${from}::text[], ${to}::text[]) with ordinality d(first, last, n),
      lateral (
        select coalesce(sum(p.allowed), 0) as allowed, coalesce(sum(p.denied), 0) as denied,
          coalesce(sum(p.asked), 0) as asked, count(*) >= ${rowsMax} as is_more
        from (
          select c.allowed, c.denied, c.asked from gate.tool_count c
          where c.account_id = t.id and c.hour >= d.first::timestamptz and c.hour < d.last::timestamptz
          limit ${rowsMax}
        ) p
      ) o
      order by d.n`,
  )
}

/** The answers since a time by key, up to `toolCountsPerDayMax` counts of an hour. */
export async function countCallsByKey(
  db: Db,
  account: string,
  since: Date,
): Promise<(CallCounts & { key_id: string })[]> {
  return db.read<CallCounts & { key_id: string }>(
    (sql) => sql`
      select o.* from gate.tenant(${account}) t(id),
      lateral (
        select p.key_id, sum(p.allowed) as allowed, sum(p.denied) as denied, sum(p.asked) as asked
        from (
          select c.key_id, c.allowed, c.denied, c.asked from gate.tool_count c
          where c.account_id = t.id and c.hour >= ${since}
          order by c.hour desc
          limit ${toolCountsPerDayMax}
        ) p
        group by p.key_id
      ) o`,
  )
}

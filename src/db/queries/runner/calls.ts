import type { Effect, Runner } from '../../../gate/runner-calls/tool-call.ts'
import { limits } from '../../../limits.ts'
import type { Db, Fragment, Sql } from '../../connect.ts'

/** A tool call as a list shows it. */
export interface ToolCallRow {
  n: number
  at: Date
  key_id: string
  key_name: string
  member_id: string
  member: string
  runner: Runner
  tool: string
  effect: Effect
  decision: 'allow' | 'deny' | 'consent'
  /** The number of the rule that decided, from 1. */
  rule: number | null
  action_id: number | null
  outcome: 'ran' | 'failed' | null
  /** It was allowed long enough ago that a report should be there. */
  is_unreported: boolean
}

/** Which calls are listed. Null: no filter. */
export interface ToolCallsPage {
  keyId: string | null
  /** `unreported`: allowed, without a report in time. */
  decision: ToolCallRow['decision'] | 'unreported' | null
  /** Only calls at this time or later. */
  since?: Date | null
  /** Continues after this call; null: from the newest. */
  after: number | null
  limit: number
}

/**
 * A page of tool calls, newest first. Takes as long among a million calls as among a thousand: a filter becomes the
 * combinations of key and decision that match it, each is read by an index up to `limit`.
 */
export async function listToolCalls(db: Db, account: string, page: ToolCallsPage): Promise<ToolCallRow[]> {
  return db.read<ToolCallRow>(
    (sql) => sql`
      select c.n, c.at, c.key_id, k.name as key_name, c.member_id, coalesce(m.name, c.member_id) as member, c.runner, c.tool,
        c.effect, c.decision, c.rule, c.action_id, c.outcome,
        c.decision = 'allow' and c.outcome is null and c.at < ${reportsDue()} as is_unreported
      from gate.tenant(${account}) t(id),
      lateral (${page.decision === 'unreported' ? unreported(sql, page) : decided(sql, page)}) c
      join gate.api_key k on k.account_id = c.account_id and k.key_id = c.key_id
      left join gate.member m on m.account_id = c.account_id and m.member_id = c.member_id
      order by c.n desc`,
  )
}

/** Calls of a decision, and all of them, by number. */
const decided = (sql: Sql, { keyId, decision, after, limit }: ToolCallsPage): Fragment =>
  keyId === null && decision === null
    ? sql`
      select f.* from gate.tool_call f
      where f.account_id = t.id and f.n < ${after ?? numberMax}
      order by f.n desc
      limit ${limit}`
    : sql`
      select c.* from (${runnerKeys(sql, keyId)}) k,
      unnest(${decision === null ? decisions : [decision]}::text[]) d(decision),
      lateral (
        select f.* from gate.tool_call f
        where f.account_id = t.id and f.key_id = k.key_id and f.decision = d.decision and f.n < ${after ?? numberMax}
        order by f.n desc
        limit ${limit}
      ) c
      order by c.n desc
      limit ${limit}`

/** Calls that were allowed and never reported, by time: numbers ascend with it, within a moment. */
const unreported = (sql: Sql, { keyId, since, after, limit }: ToolCallsPage): Fragment => sql`
  select c.* from (
    select coalesce(
      (select l.at from gate.tool_call l where l.account_id = t.id and l.n = ${after ?? 0}), ${reportsDue()}) as at
    offset 0
  ) last, (${runnerKeys(sql, keyId)}) k,
  lateral (
    select f.* from gate.tool_call f
    where f.account_id = t.id and f.key_id = k.key_id and f.decision = 'allow' and f.outcome is null
      and (f.at, f.n) < (last.at, ${after ?? 0}) and f.at >= ${since ?? new Date(0)}
    order by f.at desc, f.n desc
    limit ${limit}
  ) c
  order by c.at desc, c.n desc
  limit ${limit}`

/** How many calls since a time were allowed and not reported. @returns at most `limits.unreportedCountedMax` a key */
export async function countUnreported(db: Db, account: string, since: Date): Promise<number> {
  const rows = await db.read<{ count: number }>(
    (sql) => sql`
      select coalesce(sum(c.count), 0)::bigint as count
      from gate.tenant(${account}) t(id),
      lateral (${runnerKeys(sql, null)}) k,
      lateral (
        select count(*) as count from (
          select 1 from gate.tool_call f
          where f.account_id = t.id and f.key_id = k.key_id and f.decision = 'allow' and f.outcome is null
            and f.at >= ${since} and f.at < ${reportsDue()}
          limit ${limits.unreportedCountedMax}
        ) found
      ) c`,
  )
  return rows[0]!.count
}

const runnerKeys = (sql: Sql, keyId: string | null): Fragment => sql`
  select r.key_id from gate.api_key r
  where r.account_id = t.id and r.powers = array['runner'] ${keyId === null ? sql`` : sql`and r.key_id = ${keyId}`}`

const reportsDue = (): Date => new Date(Date.now() - limits.toolOutcomeMs)

const decisions = ['allow', 'deny', 'consent']
const numberMax = Number.MAX_SAFE_INTEGER

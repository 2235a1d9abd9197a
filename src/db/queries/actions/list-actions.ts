import { type Status, statuses } from '../../../gate/lifecycle.ts'
import type { Db, Fragment, Sql } from '../../connect.ts'
import { type ActionRow, type ShownRow, progressOf } from './actions.ts'

/** A page of an account's actions. Filters that are absent or null do not filter; an action must match all others. */
export interface ActionsPage {
  limit: number
  /** The order of ids, which is that of time. */
  order: 'asc' | 'desc'
  /** Continues after this action in that order; null or 0: from the start. */
  after: number | null
  /** Only these kinds. */
  kinds?: string[] | null
  /** All kinds but these. */
  excludedKinds?: string[] | null
  status?: Status | null
  /** Only actions that expired, whatever `status` says. */
  isExpired?: boolean
  /** Only actions of these members. */
  memberIds?: string[] | null
  /** Created at this time or later. */
  createdFrom?: Date | null
  /** Created before this time. */
  createdBefore?: Date | null
}

/**
 * A page of actions, up to `limit`. Takes as long among a million actions as among a thousand: a filter becomes the
 * combinations of member, kind and status that match it, each is read by an index up to `limit`, and the first of all of
 * them are the page.
 */
export async function listActions(db: Db, account: string, page: ActionsPage): Promise<ActionRow[]> {
  return db.read<ActionRow>((sql) => sql`select a.* from ${pageOf(sql, account, page)}`)
}

/**
 * The same page with what the interface shows of each action, and the progress of those that run. It comes as one JSON text:
 * reading fifty rows column by column takes several times as long.
 * @param keyHash  the key that reads; null: no key does
 * @returns undefined if the key is no longer valid
 */
export async function listShown(
  db: Db,
  { account, keyHash }: { account: string; keyHash: Buffer | null },
  page: ActionsPage,
): Promise<ShownRow[] | undefined> {
  const [row] = await db.read<{ page: string | null }>(
    (sql) => sql`
      select case when ${keyHash}::bytea is null or gate.holds_key(${account}, ${keyHash}) then (
        select coalesce(json_agg(shown), '[]') from (
          select ${shownColumns(sql)} from ${pageOf(sql, account, page)}
        ) shown
      )::text end as page`,
  )
  return row?.page ? (JSON.parse(row.page) as ShownRow[]) : undefined
}

/** The rows of a page in order, as `a`. */
function pageOf(sql: Sql, account: string, page: ActionsPage): Fragment {
  const order = page.order === 'asc' ? sql`` : sql`desc`
  return sql`
    gate.tenant(${account}) t(id),
    lateral (${idBounds(sql, page)}) bound,
    lateral (
      select c.id from ${page.isExpired ? expiredOnes(sql, page) : combinations(sql, page)}
      order by c.id ${order}
      limit ${page.limit}
    ) listed,
    lateral (select * from gate.action where account_id = t.id and id = listed.id offset 0) a
    order by a.id ${order}`
}

/**
 * Times as the interface writes them: ISO 8601, UTC, milliseconds. Written out, because the driver takes long to compose a
 * statement of many parts.
 */
const shownColumns = (sql: Sql): Fragment => sql`
  a.id, a.kind, a.kind_version, a.status, a.member, a.tier_at_request, a.source, a.requested_by, a.requested_host, a.payload,
  to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  a.denial_reason, a.denial_code, a.denial_needs, a.rationale, a.consent_required, a.requires_confirmation,
  a.reach_slack, a.reach_email, a.reach_unreachable, a.reach_teams, a.result,
  to_char(a.executed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as executed_at,
  to_char(a.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at,
  a.digest, encode(a.recipients, 'hex') as recipients, a.decision,
  to_char(a.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as decided_at,
  a.consent_strength, a.consent_by, a.consent_channel,
  to_char(a.begun_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as begun_at,
  to_char(a.asked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as asked_at,
  a.asked_required, a.asked_via, a.duplicate_of, a.replaces, a.closed_reason, a.decline_reason,
  a.former, a.mandate_id, a.approval_rule, a.approvals_given,
  to_char(a.consented_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as consented_at,
  case when a.status = 'proposed' and a.decision = 'confirm' then (
    ${progressOf(sql, sql`a.account_id`, sql`a.id`)}
  ) end as progress`

/** The ids between which the page lies, both exclusive, as a row `low`, `high`. Times become ids. */
function idBounds(sql: Sql, { order, after, createdFrom, createdBefore }: ActionsPage): Fragment {
  const [above, below] = order === 'asc' ? [after || 0, idMax] : [0, after || idMax]
  const firstFrom = (time: Date) => sql`
    coalesce((
      select i.id from gate.action i
      where i.account_id = t.id and i.created_at >= ${time}
      order by i.created_at, i.id
      limit 1
    ), ${idMax})`
  return sql`
    select ${createdFrom ? sql`greatest(${above}, ${firstFrom(createdFrom)} - 1)` : sql`${above}`}::bigint as low,
      ${createdBefore ? sql`least(${below}, ${firstFrom(createdBefore)})` : sql`${below}`}::bigint as high
    offset 0`
}

const idMax = Number.MAX_SAFE_INTEGER

/**
 * The ids of each combination, as `c`. A combination is compared as one row value, not column by column: so the planner can
 * only read the index that begins with these columns, and never all actions in order of id until enough of them match.
 */
function combinations(sql: Sql, page: ActionsPage): Fragment {
  const dimensions = dimensionsOf(sql, page)
  const list = (parts: Fragment[]) => parts.reduce((all, part) => sql`${all}, ${part}`)
  const columns = list([...dimensions.map(({ column }) => sql`${sql(column)}`), sql`id`])
  const wanted = (column: string) => sql(`wanted_${column}`)
  const direction = page.order === 'asc' ? sql`` : sql`desc`
  const ordered = list([
    ...dimensions.map(({ column }) => sql`${sql(column)} ${direction}`),
    sql`id ${direction}`,
  ])
  const bounded = (id: Fragment) =>
    list([...dimensions.map(({ column }) => sql`${wanted(column)}.value`), id])
  return list([
    ...dimensions.map(({ column, values }) => sql`lateral (${values}) ${wanted(column)}(value)`),
    sql`lateral (
      select id from gate.action
      where account_id = t.id and (${columns}) > (${bounded(sql`bound.low`)}) and (${columns}) < (${bounded(sql`bound.high`)})
      order by ${ordered}
      limit ${page.limit}
    ) c`,
  ])
}

/** The ids of those that expired, as `c`: they have an index of their own, and are few beside all others. */
function expiredOnes(sql: Sql, { memberIds, kinds, excludedKinds, order, limit }: ActionsPage): Fragment {
  return sql`lateral (
      select id from gate.action
      where account_id = t.id and closed_reason = 'expired' and id > bound.low and id < bound.high
        ${memberIds ? sql`and member_id = any (${memberIds}::text[])` : sql``}
        ${kinds ? sql`and kind = any (${kinds}::text[])` : sql``}
        ${excludedKinds ? sql`and kind <> all (${excludedKinds}::text[])` : sql``}
      order by id ${order === 'asc' ? sql`` : sql`desc`}
      limit ${limit}
    ) c`
}

interface Dimension {
  column: 'member_id' | 'kind' | 'status'
  /** A query of the values that match. */
  values: Fragment
}

/** The leading columns of the index that is read, with the values that match. No filter: none, the primary key. */
function dimensionsOf(sql: Sql, { memberIds, kinds, excludedKinds, status }: ActionsPage): Dimension[] {
  const each = (values: readonly string[]) => sql`select unnest(${[...new Set(values)]}::text[])`
  const byMember: Dimension[] = memberIds ? [{ column: 'member_id', values: each(memberIds) }] : []
  const byStatus: Dimension = { column: 'status', values: each(status ? [status] : statuses) }
  const isExcluding = excludedKinds && excludedKinds.length > 0
  if (!kinds && !isExcluding && !(memberIds && status)) return status ? [byStatus] : byMember
  const excluded = excludedKinds ?? []
  const values = kinds ? each(kinds.filter((kind) => !excluded.includes(kind))) : kindsBut(sql, excluded)
  return [...byMember, { column: 'kind', values }, byStatus]
}

/** The kinds of an account's actions, one look into the index for each. */
const kindsBut = (sql: Sql, excluded: string[]): Fragment => sql`
  with recursive held(kind) as (
    (select kind from gate.action where account_id = t.id order by kind limit 1)
    union all
    select (
      select n.kind from gate.action n where n.account_id = t.id and n.kind > held.kind order by n.kind limit 1
    ) from held where held.kind is not null
  )
  select kind from held where kind is not null and kind <> all(${excluded}::text[])`

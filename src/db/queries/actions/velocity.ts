import type { Db, Sql } from '../../connect.ts'

/** A scope of counted confirmed actions: one member, one subject, one customer, the account, or one API key. */
export interface CountScope {
  scope: 'member' | 'subject' | 'customer' | 'account' | 'key'
  /** The member, subject or customer; for keys the ids, separated by commas; for the account an empty text. */
  value: string
  /** null: every kind. */
  kind: string | null
}

/** A count since a time. The claim counts again, and refuses if the count has changed. */
export interface Counted extends CountScope {
  since: Date
  count: number
}

/** An action that was confirmed. `mayBeDone`: false where it was refused, and no executor had claimed it. */
export interface ConfirmedRow {
  /** The index of its scope in the query. */
  n: number
  id: number
  kind: string
  /** The version of a declared kind, and the amount that its document points to. */
  kind_version: number | null
  amount_cents: number | null
  amount_currency: string | null
  payload: Record<string, unknown>
  mayBeDone: boolean
  decidedAt: Date
}

/**
 * The actions confirmed since a time, newest first, once for each scope that they belong to.
 * @param since  pass the same time to the claim, so that it counts the same rows; null: 24 hours ago
 * @param rowsMax  per scope
 */
export async function readConfirmed(
  db: Db,
  q: { account: string; scopes: CountScope[]; since: Date | null; rowsMax: number },
): Promise<ConfirmedRow[]> {
  if (q.scopes.length === 0) return []
  return db.read<ConfirmedRow>((sql) => {
    const since = sql`coalesce(${q.since}::timestamptz, clock_timestamp() - interval '24 hours')`
    const scopes = q.scopes.map(
      (scope, n) => sql`(
        select ${n}::integer as n, a.id, a.kind, a.kind_version, a.payload, a.amount_cents, a.amount_currency,
          ${mayBeDone(sql)} as "mayBeDone", a.decided_at as "decidedAt"
        from gate.action a
        where a.account_id = t.id and a.decision = 'confirm' and a.decided_at > ${since} and ${isIn(sql, scope)}
        order by a.decided_at desc
        limit ${q.rowsMax}
      )`,
    )
    return sql`
      select s.* from gate.tenant(${q.account}) t(id),
      lateral (${scopes.reduce((all, one) => sql`${all} union all ${one}`)} offset 0) s`
  })
}

// An executor that claimed an action has its receipt, and can do it whatever it reports. One index access a refused action.
const mayBeDone = (sql: Sql) => sql`
  (a.status <> 'cancelled' or coalesce((
    select c.state <> 'unclaimed' from gate.claim c where c.account_id = a.account_id and c.action_id = a.id), false))`

// The same condition as in `gate_private.counts_moved`.
function isIn(sql: Sql, { scope, value, kind }: CountScope) {
  const ofKind = kind === null ? sql`true` : sql`a.kind = ${kind}`
  if (scope === 'account') return ofKind
  if (scope === 'member') return sql`a.member_id = ${value} and ${ofKind}`
  if (scope === 'subject') return sql`a.subject = ${value} and ${ofKind}`
  if (scope === 'customer') return sql`a.customer = ${value} and ${ofKind}`
  const keys = value.split(',')
  return sql`(a.proposed_key = any(${keys}::text[]) or a.decided_key = any(${keys}::text[])) and ${ofKind}`
}

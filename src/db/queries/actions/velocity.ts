import type { Db, Sql } from '../../connect.ts'

/** Which confirmed actions are counted together: a member's, those of one subject, of the account, or of one API key. */
export interface CountScope {
  scope: 'member' | 'subject' | 'account' | 'key'
  /** The member or subject; of keys the ids, with commas; of the account nothing. */
  value: string
  /** null: of every kind. */
  kind: string | null
}

/** How many there were since then: the claim counts them again, and refuses where there are more or less. */
export interface Counted extends CountScope {
  since: Date
  count: number
}

/** An action that counts. `isAlive`: not refused by its provider. */
export interface ConfirmedRow {
  /** The place of its scope among those asked for. */
  n: number
  id: number
  kind: string
  payload: Record<string, unknown>
  isAlive: boolean
  decidedAt: Date
}

/**
 * The actions that were confirmed since then, the newest first, once for each scope that they are in.
 * @param since  the same to be given to the claim, so that it counts the same rows; null: 24 hours before now
 * @param rowsMax  of each scope
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
        select ${n}::integer as n, a.id, a.kind, a.payload, a.status <> 'cancelled' as "isAlive",
          a.decided_at as "decidedAt"
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

// As `gate_private.counts_moved` has it.
function isIn(sql: Sql, { scope, value, kind }: CountScope) {
  const ofKind = kind === null ? sql`true` : sql`a.kind = ${kind}`
  if (scope === 'account') return ofKind
  if (scope === 'member') return sql`a.member_id = ${value} and ${ofKind}`
  if (scope === 'subject') return sql`a.subject = ${value} and ${ofKind}`
  const keys = value.split(',')
  return sql`(a.proposed_key = any(${keys}::text[]) or a.decided_key = any(${keys}::text[])) and ${ofKind}`
}

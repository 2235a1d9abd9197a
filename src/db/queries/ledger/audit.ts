import type { Db } from '../../connect.ts'
import type { LedgerRow } from './ledger.ts'

/** A ledger entry, and the kind of the action that it is about, with its version where it is a declared one. */
export interface AuditRow extends LedgerRow {
  action_kind: string | null
  action_kind_version: number | null
}

/** Which entries: from `fromSeq` up to, and without, `beforeSeq`. */
export interface AuditRange {
  fromSeq: number
  beforeSeq: number
  limitRows: number
}

/** The sequence number of the first entry from a moment on, or one more than the last. */
export async function firstEntryFrom(db: Db, account: string, at: Date): Promise<number> {
  const rows = await db.read<{ seq: number }>(
    (sql) => sql`select gate.first_entry_from(p_account => ${account}, p_at => ${at}) as seq`,
  )
  return rows[0]!.seq
}

/** A page of the whole ledger, newest first. */
export async function pageAll(db: Db, account: string, range: AuditRange): Promise<AuditRow[]> {
  return db.read<AuditRow>(
    (sql) => sql`
      select l.*, a.kind as action_kind, a.kind_version as action_kind_version from gate.tenant(${account}) t(id)
      cross join lateral (
        select seq, at, kind, action_id, entry, encode(prev, 'hex') as prev, encode(hash, 'hex') as hash
        from gate.ledger
        where account_id = t.id and seq >= ${range.fromSeq} and seq < ${range.beforeSeq}
        order by seq desc
        limit ${range.limitRows}
      ) l
      left join lateral (
        select kind, kind_version from gate.action where account_id = t.id and id = l.action_id offset 0
      ) a on true
      order by l.seq desc`,
  )
}

/**
 * A page of the entries of some kinds, newest first: a page of each kind by its index, then the newest of all of them.
 * @param of.kinds  without `checked`, which has no index
 * @param of.actor  who caused them, as entries name them; null: anyone
 */
export async function pageOfKinds(
  db: Db,
  account: string,
  of: AuditRange & { kinds: readonly string[]; actor: string | null },
): Promise<AuditRow[]> {
  return db.read<AuditRow>((sql) => {
    // Compared as one row value, so that the planner can only read the index that begins with these columns.
    const byActor = of.actor !== null
    const columns = byActor ? sql`kind, actor` : sql`kind`
    const wanted = byActor ? sql`k.kind, ${of.actor}` : sql`k.kind`
    const order = byActor ? sql`kind desc, actor desc` : sql`kind desc`
    return sql`
      select l.*, a.kind as action_kind, a.kind_version as action_kind_version from gate.tenant(${account}) t(id)
      cross join lateral (
        select e.* from unnest(${[...of.kinds]}::text[]) k(kind),
        lateral (
          select seq, at, kind, action_id, entry, encode(prev, 'hex') as prev, encode(hash, 'hex') as hash
          from gate.ledger
          where account_id = t.id and kind <> 'checked'
            and (${columns}, seq) >= (${wanted}, ${of.fromSeq}) and (${columns}, seq) < (${wanted}, ${of.beforeSeq})
          order by ${order}, seq desc
          limit ${of.limitRows}
        ) e
        order by e.seq desc
        limit ${of.limitRows}
      ) l
      left join lateral (
        select kind, kind_version from gate.action where account_id = t.id and id = l.action_id offset 0
      ) a on true
      order by l.seq desc`
  })
}

import type { Outlet } from '../../../gate/reach.ts'
import type { Db } from '../../connect.ts'

/** The head of an account's ledger, with values that must match it, from one snapshot. */
export interface LedgerHead {
  seq: number
  /** Hex. */
  hash: string
  at: Date
  /** The number of actions, which is the last id. */
  action_seq: number
  /** The `seq` of the last stored entry, whatever the head says; 0 if there is none. */
  last_seq: number
  now: Date
}

/** The head of an account's ledger; undefined if the account does not exist. */
export async function readHead(db: Db, account: string): Promise<LedgerHead | undefined> {
  const rows = await db.read<LedgerHead>(
    (sql) => sql`
      select h.*, clock_timestamp() as now from gate.tenant(${account}) t(id),
      lateral (
        select seq, encode(hash, 'hex') as hash, at, action_seq,
          (select coalesce(max(l.seq), 0) from gate.ledger l where l.account_id = t.id) as last_seq
        from gate.ledger_head where account_id = t.id offset 0
      ) h`,
  )
  return rows[0]
}

/** A ledger entry; hashes in hex. */
export interface LedgerRow {
  seq: number
  at: Date
  kind: string
  action_id: number | null
  entry: string
  prev: string
  hash: string
}

/** A page of the ledger: the entries after `after` up to `upTo`, in order. */
export async function pageEntries(
  db: Db,
  account: string,
  page: { after: number; upTo: number; limitRows: number },
): Promise<LedgerRow[]> {
  return db.read<LedgerRow>(
    (sql) => sql`
      select l.* from gate.tenant(${account}) t(id),
      lateral (
        select seq, at, kind, action_id, entry, encode(prev, 'hex') as prev, encode(hash, 'hex') as hash
        from gate.ledger
        where account_id = t.id and seq > ${page.after} and seq <= ${page.upTo}
        order by seq
        limit ${page.limitRows}
      ) l
      order by l.seq`,
  )
}

/** The hashes of some ledger entries, in hex, by seq. Missing entries are left out; of archived ones only the last of a file is there. */
export async function readHashes(db: Db, account: string, seqs: number[]): Promise<Map<number, string>> {
  const rows = await db.read<{ seq: number; hash: string }>(
    (sql) => sql`
      select l.* from gate.tenant(${account}) t(id),
      lateral (
        select seq, encode(hash, 'hex') as hash from gate.ledger
        where account_id = t.id and seq in (select s::bigint from json_array_elements_text(${JSON.stringify(seqs)}::text::json) s)
        union all
        select last_seq, encode(hash, 'hex') from gate.ledger_archive
        where account_id = t.id and last_seq in (select s::bigint from json_array_elements_text(${JSON.stringify(seqs)}::text::json) s)
        offset 0
      ) l`,
  )
  return new Map(rows.map(({ seq, hash }) => [seq, hash]))
}

/**
 * The entries about one action, in order, up to `limitRows`, plus up to `refusalsMax` refusals, of which anyone can cause
 * many. The only entry of a check is found by the uuid of its row.
 */
export async function readEntriesOf(
  db: Db,
  of: { account: string; id: number; uuid: string; limitRows: number; refusalsMax: number },
): Promise<LedgerRow[]> {
  return db.read<LedgerRow>(
    (sql) => sql`
      select l.* from gate.tenant(${of.account}) t(id),
      lateral (
        (
          select seq, at, kind, action_id, entry, encode(prev, 'hex') as prev, encode(hash, 'hex') as hash
          from gate.ledger
          where account_id = t.id and action_id = ${of.id} and kind <> 'checked' and kind <> 'decision_refused'
          order by seq
          limit ${of.limitRows}
        )
        union all
        (
          select seq, at, kind, action_id, entry, encode(prev, 'hex'), encode(hash, 'hex')
          from gate.ledger
          where account_id = t.id and action_id = ${of.id} and kind <> 'checked' and kind = 'decision_refused'
          order by seq
          limit ${of.refusalsMax}
        )
        union all
        select seq, at, kind, action_id, entry, encode(prev, 'hex'), encode(hash, 'hex')
        from gate.ledger
        where account_id = t.id and event_id = ${of.uuid} and action_id = ${of.id} and kind = 'checked'
      ) l
      order by l.seq`,
  )
}

export interface RecipientSetRow {
  /** Hex hash that identifies the set. */
  sha256: string
  members: string[]
  channels: Outlet[]
  addresses: string[]
  /** Its content is gone. */
  is_forgotten: boolean
  /** An action that has not ended is frozen to it. */
  is_needed: boolean
}

/** A page of an account's frozen recipient sets after `after`, ordered by hash. */
export async function pageRecipientSets(
  db: Db,
  account: string,
  page: { after: string; limitRows: number },
): Promise<RecipientSetRow[]> {
  return db.read<RecipientSetRow>(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select encode(sha256, 'hex') as sha256, members, channels, addresses, forgotten_at is not null as is_forgotten,
          forgotten_at is not null and exists (
            select 1 from gate.action a
            where a.account_id = t.id and a.status = 'proposed' and a.recipients = recipient_set.sha256
          ) as is_needed
        from gate.recipient_set
        where account_id = t.id and sha256 > decode(${page.after}, 'hex')
        order by recipient_set.sha256
        limit ${page.limitRows}
      ) s
      order by s.sha256`,
  )
}

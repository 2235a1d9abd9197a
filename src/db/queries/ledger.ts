import { type Status } from '../../gate/lifecycle.ts'
import { type Json } from '../../gate/canonical.ts'
import { type Db } from '../connect.ts'

/** The end of an account's chain, and what else must agree with it, from one snapshot. */
export interface LedgerHead {
  seq: number
  /** Hex. */
  hash: string
  at: Date
  /** How many rows there are: the last one's id. */
  action_seq: number
  /** The last entry there is, whatever the head says; 0 where there is none. */
  last_seq: number
  now: Date
}

/** The head of an account's chain; undefined where there is no such account. */
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

/** One entry with its place in the chain; hashes in hex. */
export interface LedgerRow {
  seq: number
  at: Date
  kind: string
  action_id: number | null
  entry: string
  prev: string
  hash: string
}

/** A page of the chain: the entries after `after` up to `upTo`, in order. */
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

/**
 * The entries about one action, in order: up to `limitRows`, and of refusals, which anybody can cause, up to `refusalsMax`. A
 * check's only entry goes by the row's own uuid.
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

/** A row as the ledger must account for it, with the entry that made it and the one that executed it. */
export interface AccountedRow {
  id: number
  kind: string
  status: Status
  decision: string | null
  member_id: string | null
  member: string
  tier_at_request: string
  payload: { [key: string]: Json }
  result: { [key: string]: Json } | null
  salt: Buffer | null
  /** Hex. */
  recipients: string | null
  digest: string | null
  consent_strength: string | null
  /** Hex: of the card that the decision was made on. */
  card: string | null
  birth: string | null
  executed: string | null
  /** The entry of the decision that stands: confirmed, or cancelled without it. */
  decided: string | null
}

/** A page of rows after `after` by id, and the head of the same snapshot. */
export async function pageAccountedRows(
  db: Db,
  account: string,
  page: { after: number; limitRows: number },
): Promise<{ head: LedgerHead; rows: AccountedRow[] }> {
  const rows = await db.read<LedgerHead & AccountedRow>(
    (sql) => sql`
      select h.*, a.* from gate.tenant(${account}) t(id),
      lateral (
        select seq, encode(hash, 'hex') as hash, at, action_seq, clock_timestamp() as now,
          (select coalesce(max(l.seq), 0) from gate.ledger l where l.account_id = t.id) as last_seq
        from gate.ledger_head where account_id = t.id offset 0
      ) h
      left join lateral (
        select id, kind, status, decision, member_id, member, tier_at_request, payload, result, salt,
          encode(recipients, 'hex') as recipients, digest, consent_strength, encode(card, 'hex') as card,
          case when kind = 'capability_check' then (
            select l.entry from gate.ledger l
            where l.account_id = t.id and l.event_id = r.uuid and l.action_id = r.id
          ) else (
            select l.entry from gate.ledger l
            where l.account_id = t.id and l.action_id = r.id and l.kind <> 'checked' order by l.seq limit 1
          ) end as birth,
          (
            select l.entry from gate.ledger l
            where l.account_id = t.id and l.action_id = r.id and l.kind = 'executed' and l.kind <> 'checked'
            order by l.seq limit 1
          ) as executed,
          (
            select l.entry from gate.ledger l
            where l.account_id = t.id and l.action_id = r.id and l.kind in ('confirmed', 'cancelled')
              and l.kind <> 'checked'
            order by l.seq limit 1
          ) as decided
        from gate.action r
        where account_id = t.id and id > ${page.after}
        order by id
        limit ${page.limitRows}
      ) a on true
      order by a.id`,
  )
  return { head: rows[0]!, rows: rows.filter((row) => row.id !== null) }
}

export interface RecipientSetRow {
  /** Hex: what the set is found by. */
  sha256: string
  members: string[]
  channels: ('slack' | 'email')[]
  addresses: string[]
}

/** A page of an account's frozen recipient sets after `after`, by hash. */
export async function pageRecipientSets(
  db: Db,
  account: string,
  page: { after: string; limitRows: number },
): Promise<RecipientSetRow[]> {
  return db.read<RecipientSetRow>(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select encode(sha256, 'hex') as sha256, members, channels, addresses
        from gate.recipient_set
        where account_id = t.id and sha256 > decode(${page.after}, 'hex')
        order by recipient_set.sha256
        limit ${page.limitRows}
      ) s
      order by s.sha256`,
  )
}

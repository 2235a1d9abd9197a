import type { Db, Fragment, Sql } from '../../connect.ts'

/** Statements about published seals: epochs, proofs, and the state of sealing. The sealer's own are in `sealing.ts`. */

/** A published epoch: its note with all cosignatures. */
export interface EpochNote {
  size: number
  note: string
  at: Date
  /** The names of those who cosigned. */
  witnesses: string[]
}

/** @param size  null: the last one */
export async function readEpochNote(db: Db, size: number | null): Promise<EpochNote | undefined> {
  const rows = await db.read<EpochNote | { size: null }>(
    (sql) => sql`select * from gate.epoch_note(p_size => ${size})`,
  )
  const found = rows[0]!
  return found.size === null ? undefined : found
}

/** A published seal of an account. */
export interface PublishedSeal {
  size: number
  at: Date
  /** Who cosigned the epoch that has it; null: no such epoch is published yet. */
  witnesses: string[] | null
}

/** The seal that proves an entry. @param seq  null: the last seal */
export async function readSealFor(
  db: Db,
  account: string,
  seq: number | null,
): Promise<PublishedSeal | undefined> {
  const rows = await db.read<PublishedSeal>(
    (sql) => sql`
      select s.size, s.at, e.witnesses
      from gate.seal_for(p_account => ${account}, p_seq => ${seq}) s
      left join lateral gate.epoch_note(p_size => s.epoch) e on s.epoch is not null`,
  )
  return rows[0]
}

/** A published seal, the epoch that has it, and what the path to that epoch needs. */
export interface SealParts {
  /** What was published when it was read: while it is the same, the seal is the one that proves. */
  state: string
  /** The first entry that it proves. */
  proves_from: number
  /** Its leaf in the tree of epochs. */
  leaf: number
  /** The salt of that leaf: random, so no other seal has it. */
  salt: Buffer
  size: number
  root: Buffer
  frontier: Buffer
  note: string
  /** Null, as are its parts: no epoch with this seal is published yet. */
  epoch_note: string | null
  epoch_frontier: Buffer | null
  /** What the path of the seal's leaf needs, as `gate_private.epoch_path_parts` gives it; null: hashes are gone. */
  epoch_parts: Buffer | null
}

/** The seal that proves an entry; undefined where it is not sealed. @param seq  null: the last seal */
export async function readSealParts(
  db: Db,
  account: string,
  seq: number | null,
): Promise<SealParts | undefined> {
  const rows = await db.read<SealParts | { leaf: null }>(
    (sql) => sql`select * from gate.seal_parts(p_account => ${account}, p_seq => ${seq})`,
  )
  const found = rows[0]!
  return found.leaf === null ? undefined : found
}

/** Where the hashes are stored that the path of a leaf needs. */
export interface PathPlaces {
  /** Full tiles: of each, 16 neighbouring hashes from this one on, and the roots of its larger subtrees, are needed. */
  tiles: { level: number; n: number; from: number }[]
  /** Neighbouring hashes of a level, of which 0 has the leaves; null: none are needed. */
  row: { level: number; from: number; width: number } | null
}

/** The entry that a proof is of. */
export interface ProvenEntry {
  at: Date
  entry: string
  prev: string
  hash: Buffer
  /** The hashes that its path needs, in the order of their places; null: some are gone. */
  parts: Buffer | null
}

/**
 * An entry, null where it is not in the database, and what its path needs: in one flat statement, with one row a level.
 * @returns also what is published now: see `SealParts`
 */
export async function readProvenEntry(
  db: Db,
  account: string,
  seq: number,
  places: PathPlaces,
): Promise<{ state: string; entry: ProvenEntry | null }> {
  const rows = await db.read<{ state: string } & ({ entry: null } | ProvenEntry)>(
    (sql) => sql`
      select gate.published_state() as state, l.*, p.* from gate.tenant(${account}) t(id)
      left join lateral (
        select at, entry, encode(prev, 'hex') as prev, hash from gate.ledger
        where account_id = t.id and seq = ${seq} offset 0
      ) l on true
      left join lateral (select ${pathParts(sql, places)} as parts offset 0) p on true`,
  )
  const found = rows[0]!
  return { state: found.state, entry: found.entry === null ? null : found }
}

function pathParts(sql: Sql, { tiles, row }: PathPlaces): Fragment {
  return tiles.reduceRight(
    (after, { level, n, from }) => sql`(
      select substring(hashes from ${1 + 32 * from} for 512) || nodes from gate.ledger_tile
      where account_id = t.id and level = ${level} and n = ${n}) || ${after}`,
    row === null ? sql`''::bytea` : rowParts(sql, row),
  )
}

function rowParts(sql: Sql, { level, from, width }: NonNullable<PathPlaces['row']>): Fragment {
  if (level > 0)
    return sql`(
      select string_agg(root, '' order by n) from gate.ledger_tile
      where account_id = t.id and level = ${level - 1} and n >= ${from} and n < ${from + width})`
  // The tile may have become full since, and some of its entries archived.
  return sql`coalesce((
      select substring(hashes from ${1 + 32 * (from % 256)} for ${32 * width}) from gate.ledger_tile
      where account_id = t.id and level = 0 and n = ${Math.floor(from / 256)}
    ), (
      select string_agg(sha256('\\x00'::bytea || hash), '' order by seq) from gate.ledger
      where account_id = t.id and seq > ${from} and seq <= ${from + width}))`
}

export interface ShownFault {
  /** Empty: of the whole service. */
  account_id: string
  problem: string
  at: Date
}

/** What the sealer refuses. @param account  null: of all accounts; empty: of the log as a whole */
export async function listSealFaults(db: Db, account: string | null): Promise<ShownFault[]> {
  return db.read((sql) => sql`select * from gate.seal_faults(p_account => ${account})`)
}

/** The state of sealing. */
export interface SealStatus {
  /** The last published epoch. */
  epoch: number | null
  sealed_at: Date | null
  /** Since when the oldest entry waits for its seal; null: everything is sealed. */
  waiting_since: Date | null
}

/** @param accountsMax  looks at so many of the accounts with entries that are not sealed */
export async function readSealStatus(db: Db, accountsMax: number): Promise<SealStatus> {
  const rows = await db.read<SealStatus>(
    (sql) => sql`select * from gate.seal_status(p_accounts => ${accountsMax})`,
  )
  return rows[0]!
}

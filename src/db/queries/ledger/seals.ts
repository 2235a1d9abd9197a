import type { Db } from '../../connect.ts'

/** What is published of seals: epochs, proofs, and the state of sealing. The sealer's own statements are in `sealing.ts`. */

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

/** Which seal, in which state: what is proven by one with the same three is proven by it, too. */
export interface SealName {
  /** Of its leaf in the tree of epochs: random, so no other seal has it. */
  salt: Buffer
  /** The size of the epoch that has it; null: no such epoch is published yet. */
  epoch: number | null
  /** How many cosigned that epoch. */
  cosigned: number
}

/** What a proof is made of: a published seal, the epoch that has it, and what their paths need. */
export interface SealParts extends SealName {
  /** Its leaf in the tree of epochs. */
  leaf: number
  size: number
  root: Buffer
  frontier: Buffer
  note: string
  /** Null, as are its parts: no epoch with this seal is published yet. */
  epoch_note: string | null
  epoch_frontier: Buffer | null
  /** What the path of the seal's leaf needs, as `gate_private.path_parts` gives it; null: hashes are gone. */
  epoch_parts: Buffer | null
}

/** The entry that a proof is of. */
export interface ProvenEntry {
  at: Date
  entry: string
  prev: string
  hash: Buffer
  parts: Buffer | null
}

/** `seal` null: the one that was kept. `entry` null: none was asked for, or it is archived. */
export interface ProofParts {
  seal: SealParts | null
  entry: ProvenEntry | null
}

/**
 * All that the proof of an entry is made of, in one round trip; undefined where it is not sealed.
 * @param seq  null: the last seal, without an entry
 * @param kept  a seal that need not be read again if it is still the one that proves the entry
 */
export async function readProofParts(
  db: Db,
  account: string,
  seq: number | null,
  kept?: SealName,
): Promise<ProofParts | undefined> {
  const { salt = null, epoch = null, cosigned = null } = kept ?? {}
  const rows = await db.read<FoundParts | { leaf: null }>(
    (sql) => sql`
      select * from gate.entry_proof(
        p_account => ${account}, p_seq => ${seq}, p_salt => ${salt}, p_epoch => ${epoch}, p_cosigned => ${cosigned})`,
  )
  const found = rows[0]!
  if (found.leaf === null) return undefined
  return { seal: found.is_known ? null : found, entry: found.entry === null ? null : found }
}

type FoundParts = SealParts & { is_known: boolean } & ({ [Name in keyof ProvenEntry]: null } | ProvenEntry)

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

export async function readSealStatus(db: Db): Promise<SealStatus> {
  const rows = await db.read<SealStatus>((sql) => sql`select * from gate.seal_status()`)
  return rows[0]!
}

import type { Db } from '../../connect.ts'

/** Statements by which the sealer reads and stores. Published seals are read by `seals.ts`. */

/** The last seal of a tree. Bytes in hex. */
export interface StoredSeal {
  size: number
  root: string
  /** The roots of the full subtrees, largest first, one after the other. */
  frontier: string
  /** Null: not signed yet. */
  note: string | null
}

/** An account whose ledger does not end as it was sealed, and its last seal; `size` 0 without one. Bytes in hex. */
export interface UnsealedAccount {
  account: string
  /** The end of the chain, and its hash. */
  seq: number
  head: string
  /** The size of its last leaf in the tree of epochs. */
  by_epochs: number
  size: number
  /** The hash of the entry `size`. */
  hash: string | null
  root: string | null
  frontier: string | null
  note: string | null
  archived_to: number
}

/** Why the sealer refuses to go on: for an account, or for all where `account` is empty. */
export interface SealFault {
  account: string
  problem: string
  /** The size of the last epoch that the process which refused has signed or seen. */
  held: number
}

export interface SealWork {
  /** Which log this database has. */
  log: string
  epoch: StoredSeal | null
  /** The last epoch with a note: `epoch`, or one before it. */
  signed: (StoredSeal & { note: string }) | null
  faults: SealFault[]
  accounts: UnsealedAccount[]
}

/**
 * What there is to seal, of the accounts after `after`, by id.
 * @param of.isAll  whether accounts without new entries are looked at as well: whether what was sealed is still there
 */
export async function readSealWork(
  db: Db,
  { after = '', accountsMax, isAll }: { after?: string; accountsMax: number; isAll: boolean },
): Promise<SealWork> {
  const rows = await db.read<{ work: SealWork }>(
    (sql) => sql`
      select gate.seal_work(p_after => ${after}, p_limit => ${accountsMax}, p_all => ${isAll}) as work`,
  )
  return rows[0]!.work
}

/** A tile of 256 hashes. Bytes in hex. */
export interface StoredTile {
  level: number
  n: number
  root: string
  hashes: string
  /** The roots of its subtrees of 16 hashes, then of 32, 64 and 128. */
  nodes: string
}

/** An epoch as it is stored: with the seals and tiles of its accounts. Bytes in hex. */
export interface NewEpoch {
  /** The size of the epoch before. */
  was: number
  size: number
  root: string
  frontier: string
  tiles: StoredTile[]
  accounts: {
    account: string
    was: number
    size: number
    hash: string
    root: string
    frontier: string
    leaf: number
    leaf_hash: string
    salt: string
    tiles: StoredTile[]
  }[]
}

/** Stores an epoch, unsigned. False: another process stored one first, and nothing was stored. */
export async function storeEpoch(db: Db, epoch: NewEpoch): Promise<boolean> {
  const rows = await db.once<{ is_stored: boolean }>(
    (sql) => sql`select gate.store_epoch(p_epoch => ${JSON.stringify(epoch)}) as is_stored`,
  )
  return rows[0]!.is_stored
}

/** A seal of an epoch that is not signed. */
export interface UnsignedSeal {
  account_id: string
  size: number
  root: Buffer
  /** The hash of the entry `size`, in hex. */
  hash: string
  /** The salt and the hash of its leaf in the tree of epochs. */
  salt: Buffer
  leaf_hash: Buffer
  /** The seal before it, with bytes in hex; 0 without one. */
  was: number
  was_hash: string | null
  was_root: string | null
  was_frontier: string | null
  was_note: string | null
  /** The size of the account's leaf before this one in the tree of epochs. */
  told: number
  archived_to: number
}

/** A leaf whose seal is not there, or has a note before its epoch has one. */
export type LeafWithoutSeal = Pick<UnsignedSeal, 'leaf_hash'> & { root: null }

/** The leaves after the last signed epoch, in order; none where they were signed meanwhile. @param signed  the size of that epoch */
export async function listUnsigned(db: Db, signed: number): Promise<(UnsignedSeal | LeafWithoutSeal)[]> {
  return db.read((sql) => sql`select u.* from gate.unsigned_seals(p_from => ${signed}) u`)
}

/** Gives an epoch and its seals their notes. An epoch that has one keeps it, and its seals theirs. */
export async function publishEpoch(
  db: Db,
  epoch: { size: number; note: string; seals: { account: string; size: number; note: string }[] },
): Promise<void> {
  const seals = JSON.stringify(epoch.seals)
  await db.run(
    (sql) =>
      sql`select gate.publish_epoch(p_size => ${epoch.size}, p_note => ${epoch.note}, p_accounts => ${seals})`,
  )
}

export async function storeCosignatures(
  db: Db,
  size: number,
  cosignatures: { name: string; line: string }[],
): Promise<void> {
  const [names, lines] = [cosignatures.map(({ name }) => name), cosignatures.map(({ line }) => line)]
  await db.run(
    (sql) => sql`
      select gate.store_cosignatures(
        p_size => ${size}, p_names => ${names}::text[], p_lines => ${lines}::text[])`,
  )
}

export async function setSealFaults(db: Db, faults: SealFault[]): Promise<void> {
  await db.run((sql) => sql`select gate.set_seal_faults(p_faults => ${JSON.stringify(faults)})`)
}

/** The last seal of an account, signed or not, and what the tree of epochs says of it. */
export interface LastSeal extends StoredSeal {
  hash: string
  at: Date
}

export async function readLastSeal(
  db: Db,
  account: string,
): Promise<{ seal: LastSeal | undefined; sealedByEpochs: number }> {
  const rows = await db.read<LastSeal & { by_epochs: number }>(
    (sql) => sql`
      select s.*, gate.sealed_by_epochs(t.id) as by_epochs from gate.tenant(${account}) t(id)
      left join lateral (
        select size, encode(root, 'hex') as root, encode(frontier, 'hex') as frontier, note,
          encode(hash, 'hex') as hash, at
        from gate.ledger_seal where account_id = t.id order by ledger_seal.size desc limit 1
      ) s on true`,
  )
  const { by_epochs: sealedByEpochs, ...seal } = rows[0]!
  return { seal: (seal.size as number | null) === null ? undefined : seal, sealedByEpochs }
}

/** The place of a stored seal in the tree of epochs, and the salt of its leaf. */
export async function readLeafOfSeal(
  db: Db,
  account: string,
  size: number,
): Promise<{ leaf: number; salt: Buffer } | undefined> {
  const rows = await db.read<{ leaf: number; salt: Buffer }>(
    (sql) => sql`
      select l.* from gate.tenant(${account}) t(id),
      lateral (
        select epoch_leaf as leaf, salt from gate.ledger_seal where account_id = t.id and size = ${size} offset 0
      ) l`,
  )
  return rows[0]
}

/** The first leaf of the epochs that says something of this account, or of an unknown one, and that no seal proves. */
export async function readUnprovenLeaf(
  db: Db,
  account: string,
): Promise<{ n: number; account_id: string; size: number } | undefined> {
  const rows = await db.read<{ n: number; account_id: string; size: number }>(
    (sql) => sql`select * from gate.unproven_leaf(p_account => ${account})`,
  )
  return rows[0]
}

/** Which log the database has, and the size of its last epoch, published or not. */
export async function readLog(db: Db): Promise<{ log: string; size: number }> {
  const rows = await db.read<{ log: string; size: number }>(
    (sql) => sql`select gate.log_id() as log, gate.epoch_size() as size`,
  )
  return rows[0]!
}

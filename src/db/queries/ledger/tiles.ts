import type { Db } from '../../connect.ts'

/** The place of a tile: `n` counts the tiles of a level from the left. */
export interface TilePlace {
  level: number
  n: number
}

/** Where the hashes of a tree are stored. */
export interface StoredHashes {
  /** Full tiles; those that are not stored are left out. */
  tiles(places: TilePlace[]): Promise<(TilePlace & { hashes: Buffer })[]>
  /** The roots of the full tiles `from` up to, and without, `to` of a level, one after the other. */
  tileRoots(level: number, from: number, to: number): Promise<Buffer>
  /** What the leaves `from` up to, and without, `to` are made of (`data`), or their hashes, one after the other. */
  leaves(from: number, to: number): Promise<Buffer>
  /** What `leaves` gives. */
  leavesAre: 'data' | 'hashes'
}

/** The tree of an account's ledger: its leaves are made of the hashes of the chain. */
export const ledgerHashes = (db: Db, account: string): StoredHashes => ({
  leavesAre: 'data',
  tiles: (places) =>
    db.read(
      (sql) => sql`
        select l.* from gate.tenant(${account}) t(id),
        lateral (
          select s.level, s.n, s.hashes
          from json_to_recordset(${JSON.stringify(places)}::text::json) w(level integer, n bigint)
          join gate.ledger_tile s on s.account_id = t.id and s.level = w.level and s.n = w.n
          offset 0
        ) l`,
    ),
  tileRoots: (level, from, to) =>
    bytesOf(
      db.read(
        (sql) => sql`
          select l.bytes from gate.tenant(${account}) t(id),
          lateral (
            select coalesce(string_agg(root, '' order by n), '') as bytes from gate.ledger_tile
            where account_id = t.id and level = ${level} and n >= ${from} and n < ${to} offset 0
          ) l`,
      ),
    ),
  leaves: (from, to) =>
    bytesOf(
      db.read(
        (sql) => sql`
          select l.bytes from gate.tenant(${account}) t(id),
          lateral (
            select coalesce(string_agg(hash, '' order by seq), '') as bytes from gate.ledger
            where account_id = t.id and seq > ${from} and seq <= ${to} offset 0
          ) l`,
      ),
    ),
})

/** The tree of epochs. */
export const epochHashes = (db: Db): StoredHashes => ({
  leavesAre: 'hashes',
  tiles: (places) =>
    db.read((sql) => sql`select * from gate.epoch_tiles(${JSON.stringify(places)}::text::json)`),
  tileRoots: (level, from, to) =>
    bytesOf(
      db.read(
        (sql) => sql`
          select gate.epoch_tile_roots(p_level => ${level}, p_from => ${from}, p_to => ${to}) as bytes`,
      ),
    ),
  leaves: (from, to) =>
    bytesOf(db.read((sql) => sql`select gate.epoch_leaves(p_from => ${from}, p_to => ${to}) as bytes`)),
})

const bytesOf = async (rows: Promise<{ bytes: Buffer }[]>): Promise<Buffer> => (await rows)[0]!.bytes

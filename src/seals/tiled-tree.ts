import type { StoredTile } from '../db/queries/ledger/sealing.ts'
import type { StoredHashes, TilePlace } from '../db/queries/ledger/tiles.ts'
import {
  type Frontier,
  type LeafRange,
  type Subtree,
  emptyFrontier,
  extend,
  leafHash,
  nodeHash,
  rootOfSubtrees,
  subtreesOf,
} from './merkle.ts'

/**
 * A Merkle tree that is stored in tiles of 256 hashes, as C2SP defines them (tlog-tiles). What no full tile has yet is read from
 * the leaves, and from the roots of the full tiles below.
 */

export const tileWidth = 256
/** A tile also stores the roots of blocks of this many neighbouring hashes, and of larger ones. */
export const blockWidth = 16
const hashBytes = 32
const levelBits = 8

/** The hashes one after the other, as a list. */
export function splitHashes(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / hashBytes }, (_, i) =>
    bytes.subarray(i * hashBytes, (i + 1) * hashBytes),
  )
}

/** The leaf hashes of neighbouring leaves. @throws Error where one is missing */
export async function leafHashes(stored: StoredHashes, from: number, to: number): Promise<Buffer[]> {
  const leaves = splitHashes(await stored.leaves(from, to))
  if (leaves.length !== to - from)
    throw new MissingLeaves(`leaves ${from} to ${to - 1} of the tree are not all stored`)
  return stored.leavesAre === 'data' ? leaves.map(leafHash) : leaves
}

/** Hashes that a tree needs are gone. */
export class MissingLeaves extends Error {}

/** The parents of 2 ** n hashes. */
const parentsOf = (row: readonly Buffer[]): Buffer[] =>
  Array.from({ length: row.length / 2 }, (_, i) => nodeHash(row[2 * i]!, row[2 * i + 1]!))

/** The root of 2 ** n hashes. */
function fold(hashes: Buffer[]): Buffer {
  let row = hashes
  while (row.length > 1) row = parentsOf(row)
  return row[0]!
}

/** A full tile as it is stored, with the roots of its larger subtrees: so a path needs few of its hashes. */
function storedTile(level: number, n: number, hashes: Buffer[]): StoredTile {
  const nodes: Buffer[] = []
  let row = hashes
  while (row.length > 1) {
    row = parentsOf(row)
    if (row.length > 1 && row.length <= tileWidth / blockWidth) nodes.push(...row)
  }
  const text = (list: Buffer[]): string => Buffer.concat(list).toString('hex')
  return { level, n, root: text(row), hashes: text(hashes), nodes: text(nodes) }
}

/**
 * The tiles that become full when leaves are added.
 * @param frontier  of the tree before
 * @param added  leaf hashes
 * @throws MissingLeaves also where what is stored does not make the frontier any more
 */
export async function fullTiles(
  stored: StoredHashes,
  frontier: Frontier,
  added: readonly Buffer[],
): Promise<StoredTile[]> {
  const made: StoredTile[] = []
  let [count, more] = [frontier.size, added]
  for (let level = 0; more.length > 0; level++) {
    const first = Math.floor(count / tileWidth)
    const end = Math.floor((count + more.length) / tileWidth)
    if (end === first) break
    const before = await rowOf(stored, level, first * tileWidth, count)
    if (!isPartOf(frontier, level, before))
      throw new MissingLeaves('stored hashes do not match the last seal')
    const row = [...before, ...more]
    const roots: Buffer[] = []
    for (let n = first; n < end; n++) {
      const tile = storedTile(level, n, row.slice((n - first) * tileWidth, (n - first + 1) * tileWidth))
      roots.push(Buffer.from(tile.root, 'hex'))
      made.push(tile)
    }
    ;[count, more] = [first, roots]
  }
  return made
}

/** Whether the hashes of the last tile of a level, which is not full, are those of the frontier. */
function isPartOf({ size, hashes }: Frontier, level: number, row: Buffer[]): boolean {
  const bits = Array.from({ length: 53 }, (_, bit) => bit).filter(
    (bit) => Math.floor(size / 2 ** bit) % 2 === 1,
  )
  const due = bits
    .toReversed()
    .flatMap((bit, i) => (Math.floor(bit / levelBits) === level ? [hashes[i]!] : []))
  const made = extend(emptyFrontier, row).hashes
  return made.length === due.length && made.every((hash, i) => hash.equals(due[i]!))
}

/** Neighbouring hashes of a level of tiles, which are in no full tile yet. */
async function rowOf(stored: StoredHashes, level: number, from: number, to: number): Promise<Buffer[]> {
  if (from === to) return []
  if (level === 0) return leafHashes(stored, from, to)
  const roots = splitHashes(await stored.tileRoots(level - 1, from, to))
  if (roots.length !== to - from) throw new MissingLeaves(`tiles ${from} to ${to - 1} are not all stored`)
  return roots
}

/** How many hashes a tile has in a tree of `size` leaves: 256, or fewer in the last one of a level. */
export function widthOf({ level, n }: TilePlace, size: number): number {
  const inLevel = Math.floor(size / tileWidth ** level)
  return Math.max(0, Math.min(tileWidth, inLevel - n * tileWidth))
}

/** The hashes of a tile in a tree of `size` leaves; all of them, or the first `width`. */
export async function tileHashes(stored: StoredHashes, place: TilePlace, width: number): Promise<Buffer[]> {
  const [full] = await stored.tiles([place])
  if (full) return splitHashes(full.hashes).slice(0, width)
  const from = place.n * tileWidth
  return rowOf(stored, place.level, from, from + width)
}

/** The tile that has all hashes of a subtree, and where in it they are. */
function placeOf({ level, index }: Subtree): { place: TilePlace; from: number; count: number } {
  const tileLevel = Math.floor(level / levelBits)
  const count = 2 ** (level % levelBits)
  const at = index * count
  return {
    place: { level: tileLevel, n: Math.floor(at / tileWidth) },
    from: at % tileWidth,
    count,
  }
}

/** The roots of some ranges of leaves in a tree of `size`, which is how a proof of consistency is made. */
export async function rootsOf(
  stored: StoredHashes,
  size: number,
  ranges: readonly LeafRange[],
): Promise<Buffer[]> {
  const subtrees = ranges.map(({ from, to }) => subtreesOf(from, to))
  const places = subtrees.flat().map((subtree) => placeOf(subtree).place)
  const hashes = await readTiles(stored, size, places)
  const rootOf = (subtree: Subtree): Buffer => {
    const { place, from, count } = placeOf(subtree)
    return fold(hashes.get(nameOf(place))!.slice(from, from + count))
  }
  return subtrees.map((parts) => rootOfSubtrees(parts.map(rootOf)))
}

async function readTiles(
  stored: StoredHashes,
  size: number,
  places: TilePlace[],
): Promise<Map<string, Buffer[]>> {
  const wanted = new Map(places.map((place) => [nameOf(place), place]))
  const isFull = (place: TilePlace): boolean => widthOf(place, size) === tileWidth
  const full = [...wanted.values()].filter(isFull)
  const found = new Map<string, Buffer[]>()
  const [tiles] = await Promise.all([
    full.length === 0 ? [] : stored.tiles(full),
    ...[...wanted.values()]
      .filter((place) => !isFull(place))
      .map(
        async (place) => void found.set(nameOf(place), await tileHashes(stored, place, widthOf(place, size))),
      ),
  ])
  for (const { level, n, hashes } of tiles) found.set(nameOf({ level, n }), splitHashes(hashes))
  const missing = full.find((place) => !found.has(nameOf(place)))
  if (missing) throw new MissingLeaves(`tile ${nameOf(missing)} is not stored`)
  return found
}

const nameOf = ({ level, n }: TilePlace): string => `${level}/${n}`

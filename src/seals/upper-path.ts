import type { PathPlaces } from '../db/queries/ledger/seals.ts'
import { hashesOfTile, siblings, tilePath, tilePathLength } from './inclusion-path.ts'
import { nodeHash } from './merkle.ts'
import { blockWidth, splitHashes } from './tiled-tree.ts'

/**
 * What the paths of neighbouring leaves have in common above their full tiles. It is taken from a path that was checked, and
 * belongs to the root to which that leads: full tiles never change, and others have other roots.
 */
export interface UpperPath {
  /** The roots of neighbouring full tiles of leaves. */
  row: Buffer[]
  /** The hashes beside the root of this row, and beside each of its parents. */
  above: Buffer[]
  /** The whole path above a tile of the row, once it was needed. */
  ofTile: Map<number, Buffer[]>
}

/** A leaf in the tree with a root, and where its path is stored. */
export interface PlacedLeaf {
  index: number
  root: Buffer
  places: PathPlaces
}

/** Where the row of a leaf's tile is; undefined where nothing stored stands above this tile, or it is not full. */
function rowOf({
  places: { tiles, row },
}: PlacedLeaf): { at: number; width: number; from: number } | undefined {
  const [tile, next] = tiles
  if (!tile) return undefined
  const width = next ? blockWidth : row?.width
  if (width === undefined) return undefined
  const at = tile.n % width
  return { at, width, from: tile.n - at }
}

/** Which upper path a leaf has; undefined: none. */
export function upperName(leaf: PlacedLeaf): string | undefined {
  const row = rowOf(leaf)
  return row && `${leaf.root.toString('base64')}/${row.from}+${row.width}`
}

/** The places of one tile that are read where the upper path is known. */
export const lowerPlaces = ({ places }: PlacedLeaf): PathPlaces => ({
  tiles: places.tiles.slice(0, 1),
  row: null,
})

/**
 * The upper path of a leaf.
 * @param path  of the leaf, checked: so are the hashes of the row, but that of the leaf's own tile, which the path makes
 * @param parts  what it was made of
 */
export function upperPath(leaf: PlacedLeaf, hash: Buffer, path: Buffer[], parts: Buffer): UpperPath {
  const { at, width } = rowOf(leaf)!
  const bytes = 32 * hashesOfTile
  const row = splitHashes(Buffer.from(parts.subarray(bytes, bytes + 32 * width)))
  row[at] = rootAbove(leaf.index, hash, path.slice(0, tilePathLength))
  const above = path.slice(tilePathLength + Math.log2(width)).map((part) => Buffer.from(part))
  return { row, above, ofTile: new Map() }
}

/** The path of a leaf through a known upper path. @returns undefined where what is stored does not lead to it */
export function pathThrough(
  upper: UpperPath,
  leaf: PlacedLeaf,
  hash: Buffer,
  parts: Buffer,
): Buffer[] | undefined {
  const lower = tilePath(splitHashes(parts), leaf.index)
  const { at } = rowOf(leaf)!
  if (!rootAbove(leaf.index, hash, lower).equals(upper.row[at]!)) return undefined
  const above = upper.ofTile.get(at) ?? [...siblings(upper.row, at), ...upper.above]
  upper.ofTile.set(at, above)
  return [...lower, ...above]
}

/** The root of the full subtree in which a leaf has this path. */
const rootAbove = (index: number, hash: Buffer, path: Buffer[]): Buffer =>
  path.reduce(
    (root, beside, level) =>
      Math.floor(index / 2 ** level) % 2 === 1 ? nodeHash(beside, root) : nodeHash(root, beside),
    hash,
  )

import type { PathPlaces } from '../db/queries/ledger/seals.ts'
import { type Frontier, type Subtree, nodeHash, rootOfSubtrees, subtreesOf } from './merkle.ts'
import { MissingLeaves, blockWidth, splitHashes, tileWidth } from './tiled-tree.ts'

/** The hashes of a full tile that a path needs: those around the leaf, then the roots of 16, 32, 64 and 128 hashes. */
const nodesOfTile = 2 * (tileWidth / blockWidth) - 2
export const hashesOfTile = blockWidth + nodesOfTile
/** How many hashes of a path stand in a full tile. */
export const tilePathLength = Math.log2(tileWidth)

/** Where it is stored what the path of leaf `index` needs beside the frontier of the tree of `size` leaves. */
export function pathPlaces(index: number, size: number): PathPlaces {
  const { level } = subtreeWith(index, size).subtree
  const fullTiles = Math.floor(level / 8)
  const tiles: PathPlaces['tiles'] = []
  let at = index
  for (let tile = 0; tile < fullTiles; tile++) {
    const [n, inTile] = [Math.floor(at / tileWidth), at % tileWidth]
    tiles.push({ level: tile, n, from: inTile - (inTile % blockWidth) })
    at = n
  }
  const width = rowWidth(level)
  return { tiles, row: width === 0 ? null : { level: fullTiles, from: at - (at % width), width } }
}

/** The full subtree of the frontier that has a leaf, and which of them it is. */
function subtreeWith(index: number, size: number): { subtree: Subtree; of: number } {
  const subtrees = subtreesOf(0, size)
  const of = subtrees.findIndex((subtree) => index < (subtree.index + 1) * 2 ** subtree.level)
  return { subtree: subtrees[of]!, of }
}

/** The hashes that stand above full tiles: those of a subtree of so many levels, if it is not a tile itself. */
const rowWidth = (level: number): number => (level % 8 === 0 ? 0 : 2 ** (level % 8))

/**
 * The path of leaf `index`, sibling of the leaf first.
 * @param frontier  of the tree
 * @param parts  what is stored at `pathPlaces`, one after the other
 * @throws MissingLeaves where hashes are gone
 */
export function inclusionPath(
  index: number,
  { size, hashes: edge }: Frontier,
  parts: Buffer | null,
): Buffer[] {
  const { subtree, of } = subtreeWith(index, size)
  const { level } = subtree
  const stored = splitHashes(parts ?? Buffer.alloc(0))
  const fullTiles = Math.floor(level / 8)
  const rest = rowWidth(level)
  if (stored.length !== fullTiles * hashesOfTile + rest)
    throw new MissingLeaves(`hashes that prove leaf ${index} of ${size} are not all stored`)
  const path: Buffer[] = []
  let at = index
  for (let tile = 0; tile < fullTiles; tile++) {
    const hashes = stored.slice(tile * hashesOfTile, (tile + 1) * hashesOfTile)
    path.push(...tilePath(hashes, at))
    at = Math.floor(at / tileWidth)
  }
  if (rest > 0) path.push(...siblings(stored.slice(-rest), at % rest))
  if (of + 1 < edge.length) path.push(rootOfSubtrees(edge.slice(of + 1)))
  return [...path, ...edge.slice(0, of).toReversed()]
}

/** The path of hash `at` of a level in its full tile. @param hashes  those around it, and the nodes of the tile */
export const tilePath = (hashes: Buffer[], at: number): Buffer[] => [
  ...siblings(hashes.slice(0, blockWidth), at % blockWidth),
  ...nodesBeside(hashes, at % tileWidth),
]

/** The hashes beside a hash, and beside each of its parents, in a full subtree; its own parents are not needed. */
export function siblings(row: Buffer[], at: number): Buffer[] {
  const found = [row[at ^ 1]!]
  if (row.length === 2) return found
  const own = at >> 1
  const parents = Array.from({ length: row.length / 2 }, (_, i) =>
    i === own ? row[at]! : nodeHash(row[2 * i]!, row[2 * i + 1]!),
  )
  return [...found, ...siblings(parents, own)]
}

/** The nodes of a tile beside those that the hash `at` is in. */
function nodesBeside(hashes: Buffer[], at: number): Buffer[] {
  const found: Buffer[] = []
  let begin = blockWidth
  for (let width = blockWidth; width < tileWidth; width *= 2) {
    found.push(hashes[begin + (Math.floor(at / width) ^ 1)]!)
    begin += tileWidth / width
  }
  return found
}

import { type Frontier, nodeHash, rootOfSubtrees, subtreesOf } from './merkle.ts'
import { MissingLeaves, blockWidth, splitHashes, tileWidth } from './tiled-tree.ts'

/** Of a full tile: the hashes around the leaf, then the roots of 16, 32, 64 and 128 hashes. */
const nodesOfTile = 2 * (tileWidth / blockWidth) - 2
const hashesOfTile = blockWidth + nodesOfTile

/**
 * The path of leaf `index`, sibling of the leaf first.
 * @param frontier  of the tree
 * @param parts  what is stored of the tree and not in its frontier, as `gate_private.path_parts` gives it
 * @throws MissingLeaves where hashes are gone
 */
export function inclusionPath(
  index: number,
  { size, hashes: edge }: Frontier,
  parts: Buffer | null,
): Buffer[] {
  const subtrees = subtreesOf(0, size)
  const of = subtrees.findIndex((subtree) => index < (subtree.index + 1) * 2 ** subtree.level)
  const { level } = subtrees[of]!
  const stored = splitHashes(parts ?? Buffer.alloc(0))
  const fullTiles = Math.floor(level / 8)
  const rest = level % 8 === 0 ? 0 : 2 ** (level % 8)
  if (stored.length !== fullTiles * hashesOfTile + rest)
    throw new MissingLeaves(`hashes that prove leaf ${index} of ${size} are not all stored`)
  const path: Buffer[] = []
  let at = index
  for (let tile = 0; tile < fullTiles; tile++) {
    const hashes = stored.slice(tile * hashesOfTile, (tile + 1) * hashesOfTile)
    path.push(
      ...siblings(hashes.slice(0, blockWidth), at % blockWidth),
      ...nodesBeside(hashes, at % tileWidth),
    )
    at = Math.floor(at / tileWidth)
  }
  if (rest > 0) path.push(...siblings(stored.slice(-rest), at % rest))
  if (of + 1 < edge.length) path.push(rootOfSubtrees(edge.slice(of + 1)))
  return [...path, ...edge.slice(0, of).toReversed()]
}

/** What stands beside a hash, and beside each of its parents, in a full subtree; its own parents are not needed. */
function siblings(row: Buffer[], at: number): Buffer[] {
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

import { hash } from 'node:crypto'

/**
 * The Merkle tree of RFC 6962, section 2.1, over hashes of 32 bytes. A leaf is hashed with the prefix 0x00, a node with 0x01, so
 * that neither can pass for the other.
 */

const EMPTY_ROOT = sha256(Buffer.alloc(0))
const HASH_BYTES = 32
/** No tree that fits a 64-bit size has longer proofs. */
const LONGEST_PROOF = 64

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer')
}

// One buffer for all of a kind: a long ledger has as many leaves and nodes as entries.
const hashLeaf = Buffer.alloc(1 + HASH_BYTES)

export function leafHash(data: Buffer): Buffer {
  if (data.length !== HASH_BYTES) return sha256(Buffer.concat([Buffer.of(0), data]))
  hashLeaf.set(data, 1)
  return sha256(hashLeaf)
}

const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1)

/** The hash of a node over two hashes of 32 bytes. */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  node.set(left, 1)
  node.set(right, 1 + HASH_BYTES)
  return sha256(node)
}

/**
 * The roots of the full subtrees that a tree of `size` leaves consists of, largest first. It is all that is needed to extend the
 * tree and to know its root.
 */
export interface Frontier {
  size: number
  hashes: readonly Buffer[]
}

export const emptyFrontier: Frontier = { size: 0, hashes: [] }

/** `leaves`: leaf hashes. */
export function extend(frontier: Frontier, leaves: Iterable<Buffer>): Frontier {
  const hashes = [...frontier.hashes]
  let size = frontier.size
  for (let node of leaves) {
    for (let left = size; left % 2 === 1; left = Math.floor(left / 2)) node = nodeHash(hashes.pop()!, node)
    hashes.push(node)
    size += 1
  }
  return { size, hashes }
}

export function rootOf({ hashes }: Frontier): Buffer {
  return hashes.length === 0
    ? EMPTY_ROOT
    : hashes.slice(0, -1).reduceRight((root, left) => nodeHash(left, root), hashes.at(-1)!)
}

/** A full subtree: its leaves are `index * 2 ** level` up to the next `2 ** level`. */
export interface Subtree {
  level: number
  index: number
}

/** The full subtrees that cover leaves `from` to `to`, in order. */
export function subtreesOf(from: number, to: number): Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = from; at < to;) {
    let level = 0
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level += 1
    subtrees.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return subtrees
}

/** The largest power of two below `size`, where a tree of that size splits. */
function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** One hash of a proof is the root of the leaves `from` to `to`; `subtreesOf` says of which full subtrees. */
export interface LeafRange {
  from: number
  to: number
}

/** What proves leaf `index` in the tree of `size` leaves, sibling of the leaf first. @throws RangeError if it has no such leaf */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`Leaf ${index} is not in a tree of ${size}.`)
  const path: LeafRange[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + splitOf(to - from)
    if (index < middle) {
      path.unshift({ from: middle, to })
      to = middle
    } else {
      path.unshift({ from, to: middle })
      from = middle
    }
  }
  return path
}

/** The proof that the tree of `newSize` leaves begins with the tree of `oldSize`. Empty for equal sizes. */
export function consistencyRanges(oldSize: number, newSize: number): LeafRange[] {
  if (!(oldSize >= 1 && oldSize <= newSize)) {
    throw new RangeError(`No proof leads from a tree of ${oldSize} to one of ${newSize}.`)
  }
  const path: LeafRange[] = []
  let [from, to] = [0, newSize]
  // The part on the left that both trees share needs no proof while it is the whole old tree.
  let isWholeOldTree = true
  while (to !== oldSize) {
    const middle = from + splitOf(to - from)
    if (oldSize <= middle) {
      path.unshift({ from: middle, to })
      to = middle
    } else {
      path.unshift({ from, to: middle })
      from = middle
      isWholeOldTree = false
    }
  }
  return isWholeOldTree ? path : [{ from, to }, ...path]
}

/** The root of a range whose full subtrees have these roots, in the order of `subtreesOf`. */
export function rootOfSubtrees(roots: readonly Buffer[]): Buffer {
  return roots.slice(0, -1).reduceRight((root, left) => nodeHash(left, root), roots.at(-1)!)
}

function areHashes(hashes: readonly Buffer[]): boolean {
  return hashes.length <= LONGEST_PROOF && hashes.every((hash) => hash.length === HASH_BYTES)
}

/** Whether the path proves that the leaf with this hash is leaf `index` of the tree. RFC 9162, section 2.1.3.2. */
export function provesInclusion(
  leaf: { index: number; hash: Buffer },
  tree: { size: number; root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (!areHashes([leaf.hash, tree.root, ...path.slice(0, LONGEST_PROOF)]) || !areHashes(path)) return false
  if (!(leaf.index >= 0 && leaf.index < tree.size)) return false
  let [at, last] = [leaf.index, tree.size - 1]
  let root = leaf.hash
  for (const sibling of path) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      root = nodeHash(sibling, root)
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else {
      root = nodeHash(root, sibling)
    }
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 && root.equals(tree.root)
}

/** Whether the path proves that `after` begins with `before`. RFC 9162, section 2.1.4.2; from an empty tree nothing is proved. */
export function provesConsistency(
  before: { size: number; root: Buffer },
  after: { size: number; root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (!areHashes([before.root, after.root]) || !areHashes(path)) return false
  if (!(before.size >= 1 && before.size <= after.size)) return false
  if (before.size === after.size) return path.length === 0 && before.root.equals(after.root)
  const isPowerOfTwo = 2 ** Math.floor(Math.log2(before.size)) === before.size
  const [first, ...rest] = isPowerOfTwo ? [before.root, ...path] : path
  if (first === undefined) return false
  let [at, last] = [before.size - 1, after.size - 1]
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  let [oldRoot, newRoot] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      oldRoot = nodeHash(sibling, oldRoot)
      newRoot = nodeHash(sibling, newRoot)
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else {
      newRoot = nodeHash(newRoot, sibling)
    }
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 && oldRoot.equals(before.root) && newRoot.equals(after.root)
}

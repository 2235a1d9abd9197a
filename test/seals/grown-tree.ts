import { hash } from 'node:crypto'
import type { StoredHashes } from '../../src/db/queries/ledger/tiles.ts'
import { type Frontier, emptyFrontier, extend, leafHash, rootOf } from '../../src/seals/merkle.ts'
import { fullTiles } from '../../src/seals/tiled-tree.ts'

export interface GrownTile {
  level: number
  n: number
  root: Buffer
  hashes: Buffer
  nodes: Buffer
}

export const leafOf = (n: number): Buffer => hash('sha256', String(n), 'buffer')

/** A tree in memory that is stored as the database stores it: full tiles, and leaves. */
export async function grown(sizes: number[]) {
  const tiles = new Map<string, GrownTile>()
  const roots = new Map<number, Buffer>()
  const frontiers = new Map<number, Frontier>()
  let frontier = emptyFrontier
  const reads = { tiles: 0, leaves: 0 }
  const stored: StoredHashes = {
    leavesAre: 'data',
    async tiles(places) {
      reads.tiles += places.length
      return places.flatMap(({ level, n }) => tiles.get(`${level}/${n}`) ?? [])
    },
    async tileRoots(level, from, to) {
      const found = Array.from({ length: to - from }, (_, i) => tiles.get(`${level}/${from + i}`)!.root)
      return Buffer.concat(found)
    },
    async leaves(from, to) {
      reads.leaves += to - from
      return Buffer.concat(Array.from({ length: to - from }, (_, i) => leafOf(from + i)))
    },
  }
  for (const size of sizes) {
    const added = Array.from({ length: size - frontier.size }, (_, i) => leafHash(leafOf(frontier.size + i)))
    for (const { level, n, root, hashes, nodes } of await fullTiles(stored, frontier, added))
      tiles.set(`${level}/${n}`, {
        level,
        n,
        root: Buffer.from(root, 'hex'),
        hashes: Buffer.from(hashes, 'hex'),
        nodes: Buffer.from(nodes, 'hex'),
      })
    frontier = extend(frontier, added)
    roots.set(size, rootOf(frontier))
    frontiers.set(size, frontier)
  }
  return { stored, tiles, roots, frontiers, size: frontier.size, reads }
}

/** What the path of a leaf needs beside the frontier, in the order of `pathPlaces`. */
export function partsOf(tiles: Map<string, GrownTile>, index: number, size: number): Buffer {
  const parts: Buffer[] = []
  let [level, at, differs] = [0, index, index ^ size]
  for (; differs >= 256; level++) {
    const { hashes, nodes } = tiles.get(`${level}/${at >> 8}`)!
    const block = (at & 240) * 32
    parts.push(hashes.subarray(block, block + 512), nodes)
    ;[at, differs] = [at >> 8, differs >> 8]
  }
  const width = differs === 0 ? 1 : 2 ** Math.floor(Math.log2(differs))
  const first = at - (at % width)
  const rowAt = (n: number) => (level === 0 ? leafHash(leafOf(n)) : tiles.get(`${level - 1}/${n}`)!.root)
  if (width > 1) parts.push(...Array.from({ length: width }, (_, i) => rowAt(first + i)))
  return Buffer.concat(parts)
}

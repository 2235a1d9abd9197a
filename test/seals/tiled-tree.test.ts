import { hash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { StoredHashes } from '../../src/db/queries/ledger/tiles.ts'
import {
  consistencyRanges,
  emptyFrontier,
  extend,
  inclusionRanges,
  leafHash,
  provesConsistency,
  provesInclusion,
  rootOf,
} from '../../src/seals/merkle.ts'
import { fullTiles, rootsOf, widthOf } from '../../src/seals/tiled-tree.ts'

const leafOf = (n: number): Buffer => hash('sha256', String(n), 'buffer')

/** A tree in memory that is stored as the database stores it: full tiles, and leaves. */
async function grown(sizes: number[]) {
  const tiles = new Map<string, { level: number; n: number; root: Buffer; hashes: Buffer }>()
  const roots = new Map<number, Buffer>()
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
    for (const { level, n, root, hashes } of await fullTiles(stored, frontier, added))
      tiles.set(`${level}/${n}`, {
        level,
        n,
        root: Buffer.from(root, 'hex'),
        hashes: Buffer.from(hashes, 'hex'),
      })
    frontier = extend(frontier, added)
    roots.set(size, rootOf(frontier))
  }
  return { stored, tiles, roots, size: frontier.size, reads }
}

test('a tree of 70,000 leaves has the tiles of C2SP, however it grew', async () => {
  const atOnce = await grown([70_000])
  const inSteps = await grown([1, 255, 256, 257, 3_000, 65_535, 65_536, 65_537, 70_000])
  expect([...atOnce.tiles.keys()].toSorted()).toEqual([...inSteps.tiles.keys()].toSorted())
  for (const [name, { hashes }] of atOnce.tiles) expect(inSteps.tiles.get(name)!.hashes).toEqual(hashes)
  expect(inSteps.roots.get(70_000)).toEqual(atOnce.roots.get(70_000))
  const level = (wanted: number) => [...atOnce.tiles.values()].filter((tile) => tile.level === wanted).length
  expect([level(0), level(1), level(2)]).toEqual([273, 1, 0])
  const last = [273, 1, 0].map((n, of) => widthOf({ level: of, n }, 70_000))
  expect(last).toEqual([112, 17, 1])
}, 30_000)

test('proofs are made of few tiles, and hold for any leaf and any two sizes', async () => {
  const sizes = [1, 7, 256, 300, 65_536, 65_800, 70_000]
  const { stored, roots, reads } = await grown(sizes)
  for (const size of sizes) {
    const tree = { size, root: roots.get(size)! }
    for (const index of [0, 1, 255, 256, 299, 65_535, 65_536, 69_999].filter((n) => n < size)) {
      reads.tiles = reads.leaves = 0
      const path = await rootsOf(stored, size, inclusionRanges(index, size))
      expect(provesInclusion({ index, hash: leafHash(leafOf(index)) }, tree, path)).toBe(true)
      expect(reads.tiles).toBeLessThanOrEqual(4)
      expect(reads.leaves).toBeLessThan(256)
    }
    for (const from of sizes.filter((other) => other <= size)) {
      const path = await rootsOf(stored, size, consistencyRanges(from, size))
      expect(provesConsistency({ size: from, root: roots.get(from)! }, tree, path)).toBe(true)
    }
  }
}, 30_000)

test('a stored hash that was changed stops the tree from growing', async () => {
  const { stored, tiles } = await grown([300])
  const wrong: StoredHashes = {
    ...stored,
    leaves: async (from, to) => (await stored.leaves(from, to)).fill(7, 0, 1),
  }
  const before = extend(
    emptyFrontier,
    Array.from({ length: 300 }, (_, n) => leafHash(leafOf(n))),
  )
  const added = Array.from({ length: 300 }, (_, n) => leafHash(leafOf(300 + n)))
  await expect(fullTiles(wrong, before, added)).rejects.toThrow('do not match the last seal')
  expect(await fullTiles(stored, before, added)).toHaveLength(1)
  expect(tiles.size).toBe(1)
})

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
} from '../../src/seals/merkle.ts'
import { inclusionPath, pathPlaces } from '../../src/seals/inclusion-path.ts'
import { lowerPlaces, pathThrough, upperName, upperPath } from '../../src/seals/upper-path.ts'
import { grown, leafOf, partsOf } from './grown-tree.ts'
import { MissingLeaves, fullTiles, rootsOf, widthOf } from '../../src/seals/tiled-tree.ts'

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

test('the path of a leaf is made of its neighbours in each tile, and of the roots that the tile stores', async () => {
  const sizes = [1, 2, 255, 256, 257, 300, 512, 4_096, 65_535, 65_536, 65_800, 70_000]
  const { stored, tiles, frontiers } = await grown(sizes)
  for (const size of sizes) {
    const places = [0, 1, 15, 16, 200, 255, 256, 299, 511, 4_000, 65_535, 65_536, 65_799, 69_888, 69_999]
    for (const index of places.filter((n) => n < size)) {
      const parts = partsOf(tiles, index, size)
      const due = await rootsOf(stored, size, inclusionRanges(index, size))
      expect(inclusionPath(index, frontiers.get(size)!, parts)).toEqual(due)
      if (parts.length > 0)
        expect(() => inclusionPath(index, frontiers.get(size)!, parts.subarray(32))).toThrow(MissingLeaves)
    }
  }
}, 30_000)

test('a path through what is kept of a neighbour is the path of the leaf, and none where its tile was changed', async () => {
  for (const size of [512, 40_000, 70_000]) {
    const { tiles, frontiers, roots } = await grown([size])
    const leafAt = (index: number) => ({ index, root: roots.get(size)!, places: pathPlaces(index, size) })
    const hashOf = (index: number) => leafHash(leafOf(index))
    const lowerOf = (index: number) => {
      const [{ level, n, from }] = lowerPlaces(leafAt(index)).tiles as [
        { level: number; n: number; from: number },
      ]
      const { hashes, nodes } = tiles.get(`${level}/${n}`)!
      return Buffer.concat([hashes.subarray(32 * from, 32 * (from + 16)), nodes])
    }
    const first = 300
    const parts = partsOf(tiles, first, size)
    const path = inclusionPath(first, frontiers.get(size)!, parts)
    // The row is that of the path, although its own hash was changed where it is stored.
    const changed = Buffer.from(parts)
    changed[32 * (46 + 1)]! ^= 1
    const upper = upperPath(leafAt(first), hashOf(first), path, changed)
    const name = upperName(leafAt(first))
    const neighbours = [0, 1, 255, 256, 300, 511, 4_095].filter(
      (n) => n < size && upperName(leafAt(n)) === name,
    )
    expect(neighbours.length).toBeGreaterThan(4)
    for (const index of neighbours) {
      const due = inclusionPath(index, frontiers.get(size)!, partsOf(tiles, index, size))
      expect(pathThrough(upper, leafAt(index), hashOf(index), lowerOf(index))).toEqual(due)
      for (const at of [0, 17 * 32, 45 * 32]) {
        const other = Buffer.from(lowerOf(index))
        other[at]! ^= 1
        const made = pathThrough(upper, leafAt(index), hashOf(index), other)
        // Hashes that a path does not need may differ: the leaf's own, and nodes above it.
        if (made) expect(made).toEqual(due)
      }
      expect(pathThrough(upper, leafAt(index), hashOf(index + 1), lowerOf(index))).toBeUndefined()
    }
  }
  const root = Buffer.alloc(32)
  const nameAt = (index: number, size = 70_000) => upperName({ index, root, places: pathPlaces(index, size) })
  expect([nameAt(0) === nameAt(4_095), nameAt(4_095) === nameAt(4_096)]).toEqual([true, false])
  // These leaves are in no full tile, or nothing is stored above it.
  expect([nameAt(69_999), nameAt(3, 256)]).toEqual([undefined, undefined])
}, 30_000)

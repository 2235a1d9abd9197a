import { expect, test } from '@jest/globals'
import fc from 'fast-check'

import {
  consistencyRanges,
  emptyFrontier,
  extend,
  inclusionRanges,
  leafHash,
  type LeafRange,
  nodeHash,
  provesConsistency,
  provesInclusion,
  rootOf,
} from '../../src/seals/merkle.ts'
import { testRows } from '../support/rows.ts'

/** The definition of RFC 6962, word by word. */
function rootByDefinition(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeHash(rootByDefinition(leaves.slice(0, split)), rootByDefinition(leaves.slice(split)))
}

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, n) => leafHash(Buffer.from(`leaf ${n}`)))
const hashesOf = (leaves: readonly Buffer[], ranges: readonly LeafRange[]) =>
  ranges.map(({ from, to }) => rootByDefinition(leaves.slice(from, to)))

const vectorLeaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const vectorRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

testRows(vectorRoots.map((root, size) => [size, root]))('the roots of the public vectors', (size, root) => {
  const leaves = vectorLeaves.slice(0, Number(size)).map((leaf) => leafHash(Buffer.from(leaf, 'hex')))
  expect(rootOf(extend(emptyFrontier, leaves)).toString('hex')).toBe(root)
})

test('the path of leaf 5 of 8 and the consistency from 6 to 8 and from 2 to 5 are those of the public vectors', () => {
  const leaves = vectorLeaves.map((leaf) => leafHash(Buffer.from(leaf, 'hex')))
  const hex = (ranges: LeafRange[]) =>
    hashesOf(leaves, ranges).map((hash) => hash.toString('hex').slice(0, 8))
  expect(hex(inclusionRanges(5, 8))).toEqual(['bc1a0643', 'ca854ea1', 'd37ee418'])
  expect(hex(consistencyRanges(6, 8))).toEqual(['0ebc5d34', 'ca854ea1', 'd37ee418'])
  expect(hex(consistencyRanges(2, 5))).toEqual(['5f083f0a', 'bc1a0643'])
})

test('a tree that is extended in parts has the root of the tree that is built at once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 }), (parts) => {
      const leaves = leavesOf(parts.reduce((sum, part) => sum + part, 0))
      let frontier = emptyFrontier
      for (const part of parts) frontier = extend(frontier, leaves.slice(frontier.size, frontier.size + part))
      if (leaves.length > 0) expect(rootOf(frontier)).toEqual(rootByDefinition(leaves))
    }),
  )
})

test('every leaf of every tree up to 40 is proved by its path, and by no other leaf, index, size or changed path', () => {
  const leaves = leavesOf(40)
  for (let size = 1; size <= 40; size += 1) {
    const tree = { size, root: rootByDefinition(leaves.slice(0, size)) }
    for (let index = 0; index < size; index += 1) {
      const path = hashesOf(leaves, inclusionRanges(index, size))
      const leaf = { index, hash: leaves[index]! }
      expect(provesInclusion(leaf, tree, path)).toBe(true)
      expect(provesInclusion({ index, hash: leafHash(Buffer.from('x')) }, tree, path)).toBe(false)
      expect(provesInclusion({ index: size, hash: leaf.hash }, tree, path)).toBe(false)
      expect(provesInclusion(leaf, tree, [...path, leaf.hash])).toBe(false)
      if (size > 1) {
        expect(provesInclusion({ ...leaf, index: (index + 1) % size }, tree, path)).toBe(false)
        expect(provesInclusion(leaf, tree, path.slice(1))).toBe(false)
      }
    }
  }
})

test('every pair of sizes up to 40 is proved consistent, and no changed tree is', () => {
  const leaves = leavesOf(40)
  const treeOf = (size: number) => ({ size, root: rootByDefinition(leaves.slice(0, size)) })
  for (let after = 1; after <= 40; after += 1) {
    for (let before = 1; before <= after; before += 1) {
      const path = hashesOf(leaves, consistencyRanges(before, after))
      expect(provesConsistency(treeOf(before), treeOf(after), path)).toBe(true)
      const forked = { size: before, root: leafHash(Buffer.from('forked')) }
      expect(provesConsistency(forked, treeOf(after), path)).toBe(false)
      expect(provesConsistency(treeOf(before), treeOf(after), [...path, forked.root])).toBe(false)
    }
  }
})

test('nothing is proved from an empty tree, by a hash of another length, or by a path of more than 64', () => {
  const leaf = leafHash(Buffer.from('x'))
  expect(provesConsistency({ size: 0, root: leaf }, { size: 1, root: leaf }, [])).toBe(false)
  expect(provesInclusion({ index: 0, hash: leaf }, { size: 2, root: leaf }, [leaf.subarray(1)])).toBe(false)
  expect(provesInclusion({ index: 0, hash: leaf }, { size: 1, root: leaf }, Array(65).fill(leaf))).toBe(false)
})

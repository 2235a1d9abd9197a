import { describe, expect, test } from '@jest/globals'
import { createHash, randomBytes } from 'node:crypto'
import { growingRoot, isConsistent, isIncluded, leafHash, ownHasher, sha256 } from '../lib/verify.mjs'
import { pathOf, rootOf } from './log.ts'

// Vectors of transparency-dev/merkle (proof/verify_test.go, from which its testdata folder is made). Copyright Google LLC,
// Apache License 2.0.
const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const roots = [
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
const node = {
  a: '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  b: '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  c: '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  d: 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  e: 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  f: '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
  g: 'b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f',
}
const someHash = 'abacaba000000000000000000000000000000000000000000060061e00123456'
const inclusions: [index: number, size: number, path: string[]][] = [
  [0, 1, []],
  [0, 8, [node.a, node.b, node.c]],
  [5, 8, [node.d, node.e, roots[4]!]],
  [2, 3, [roots[2]!]],
  [1, 5, [roots[1]!, node.b, node.d]],
]
const consistencies: [size1: number, size2: number, path: string[]][] = [
  [1, 1, []],
  [1, 8, [node.a, node.b, node.c]],
  [6, 8, [node.f, node.e, roots[4]!]],
  [2, 5, [node.b, node.d]],
  [6, 7, [node.f, node.g, roots[4]!]],
]

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const leafAt = (index: number) => leafHash(bytes(leaves[index]!))
const flipped = (path: Buffer[], at: number, bit: number) =>
  path.map((hash, i) => (i === at ? Buffer.concat([Buffer.of(hash[0]! ^ bit), hash.subarray(1)]) : hash))

describe('the public vectors of Merkle trees', () => {
  test('a leaf that is in the tree is found there', () => {
    for (const [index, size, path] of inclusions)
      expect(
        isIncluded({
          index,
          size,
          leaf: leafAt(index),
          path: path.map(bytes),
          root: bytes(roots[size]!),
        }),
      ).toBe(true)
  })

  test('a changed index, size, leaf, path or root is refused', () => {
    for (const [index, size, hexes] of inclusions) {
      const path = hexes.map(bytes)
      const root = bytes(roots[size]!)
      const honest = { index, size, leaf: leafAt(index), path, root }
      const wrong = [
        { index: index - 1 },
        { index: index + 1 },
        { index: index ^ 2 },
        { size: size * 2 },
        { size: Math.floor(size / 2) },
        { leaf: Buffer.from('WrongLeaf') },
        { root: bytes(roots[0]!) },
        { root: bytes(someHash) },
        { path: [...path, Buffer.alloc(0)] },
        { path: [...path, root] },
        { path: [Buffer.alloc(0), ...path] },
        { path: [root, ...path] },
        ...path.map((_, i) => ({ path: flipped(path, i, 8) })),
        ...(path.length > 0 ? [{ path: path.slice(0, -1) }] : []),
        ...(path.length > 1 ? [{ path: [path[0]!, bytes(someHash), ...path.slice(1)] }] : []),
      ]
      for (const change of wrong)
        expect({ change, is: isIncluded({ ...honest, ...change }) }).toEqual({ change, is: false })
    }
    for (const [index, size] of [
      [0, 0],
      [1, 0],
      [2, 1],
    ] as const)
      for (const root of [Buffer.alloc(0), bytes(roots[0]!)])
        expect(isIncluded({ index, size, leaf: bytes(someHash), path: [], root })).toBe(false)
    expect(isIncluded({ index: 0, size: 1, leaf: Buffer.alloc(0), path: [], root: Buffer.alloc(0) })).toBe(
      false,
    )
  })

  test('a tree that goes on from another is found to do so', () => {
    for (const [size1, size2, path] of consistencies)
      expect(
        isConsistent({
          size1,
          size2,
          root1: bytes(roots[size1]!),
          root2: bytes(roots[size2]!),
          path: path.map(bytes),
        }),
      ).toBe(true)
  })

  test('a changed size, root or path between two trees is refused, and so is the empty tree', () => {
    for (const [size1, size2, hexes] of consistencies.slice(1)) {
      const path = hexes.map(bytes)
      const [root1, root2] = [bytes(roots[size1]!), bytes(roots[size2]!)]
      const wrong = [
        { size1: size1 - 1 },
        { size1: size1 + 1 },
        { size1: size1 ^ 2 },
        { size2: size2 * 2 },
        { size2: Math.floor(size2 / 2) },
        { root1: Buffer.from('WrongRoot') },
        { root2: Buffer.from('WrongRoot') },
        { root1: root2, root2: root1 },
        { path: [] },
        { path: [...path, Buffer.alloc(0)] },
        { path: [...path, root1] },
        { path: [...path, root2] },
        { path: [Buffer.alloc(0), ...path] },
        { path: [root1, ...path] },
        { path: [root2, ...path] },
        { path: [path[0]!, ...path] },
        { path: path.slice(0, -1) },
        ...path.map((_, i) => ({ path: flipped(path, i, 16) })),
      ]
      const honest = { size1, size2, root1, root2, path }
      for (const change of wrong)
        expect({ change, is: isConsistent({ ...honest, ...change }) }).toEqual({ change, is: false })
    }
    const empty = bytes(roots[0]!)
    const leaf = leafAt(0)
    expect(isConsistent({ size1: 0, size2: 1, root1: leaf, root2: leaf, path: [leaf] })).toBe(false)
    const short = leaf.subarray(1)
    expect(isConsistent({ size1: 1, size2: 1, root1: short, root2: short, path: [] })).toBe(false)
    expect(isConsistent({ size1: 0, size2: 1, root1: empty, root2: leafAt(0), path: [] })).toBe(false)
    expect(isConsistent({ size1: 2, size2: 1, root1: bytes(roots[2]!), root2: leafAt(0), path: [] })).toBe(
      false,
    )
  })

  test('the roots of the public leaves', () => {
    for (const [size, root] of roots.entries())
      expect(rootOf(leaves.slice(0, size).map(bytes)).toString('hex')).toBe(root)
  })
})

test('every path of every tree up to 40 leaves leads to its root, and to no other', () => {
  const data = Array.from({ length: 40 }, () => randomBytes(32))
  const rootAt = growingRoot(() => Buffer.concat(data))
  for (let size = 1; size <= data.length; size += 1) {
    const root = rootOf(data.slice(0, size))
    expect(Buffer.from(rootAt(size))).toEqual(root)
    for (let index = 0; index < size; index += 1) {
      const path = pathOf(index, data.slice(0, size))
      const leaf = leafHash(data[index]!)
      expect(isIncluded({ index, size, leaf, path, root })).toBe(true)
      expect(isIncluded({ index: (index + 1) % size, size, leaf, path, root })).toBe(size === 1)
    }
  }
})

test('a path of more than 64 hashes is refused before it is hashed', () => {
  const path = Array.from({ length: 65 }, () => randomBytes(32))
  const root = randomBytes(32)
  expect(isIncluded({ index: 0, size: 2 ** 52, leaf: root, path, root })).toBe(false)
  expect(isConsistent({ size1: 3, size2: 2 ** 52, root1: root, root2: root, path })).toBe(false)
})

test('the SHA-256 for browsers is that of Node, for every length and however it is cut', () => {
  const data = randomBytes(1_000)
  for (let length = 0; length <= 300; length += 1) {
    const hash = createHash('sha256').update(data.subarray(0, length)).digest('hex')
    const own = ownHasher()
    own.update(data.subarray(0, Math.floor(length / 3)))
    own.digest()
    own.update(data.subarray(Math.floor(length / 3), length))
    expect(Buffer.from(own.digest()).toString('hex')).toBe(hash)
    expect(Buffer.from(sha256(data.subarray(0, length))).toString('hex')).toBe(hash)
  }
})

import { randomBytes } from 'node:crypto'
import type { Db } from '../db/connect.ts'
import type { NewEpoch, StoredSeal } from '../db/queries/ledger/sealing.ts'
import { epochHashes } from '../db/queries/ledger/tiles.ts'
import type { NextSeal } from './account-seal.ts'
import { epochLeaf } from './epoch.ts'
import { frontierText, storedFrontier } from './frontier-bytes.ts'
import { emptyFrontier, extend, leafHash, rootOf } from './merkle.ts'
import { fullTiles } from './tiled-tree.ts'

/** The epoch after the last one, with a leaf for each of these seals. */
export async function nextEpoch(db: Db, last: StoredSeal | null, seals: NextSeal[]): Promise<NewEpoch> {
  const before = last ? storedFrontier(last)! : emptyFrontier
  const leaves = seals.map((seal) => {
    const salt = randomBytes(32)
    const { account, root, frontier } = seal
    return { ...seal, salt, hash: leafHash(epochLeaf(salt, account, { size: frontier.size, root })) }
  })
  const hashes = leaves.map(({ hash }) => hash)
  const frontier = extend(before, hashes)
  return {
    was: before.size,
    size: frontier.size,
    root: rootOf(frontier).toString('hex'),
    frontier: frontierText(frontier),
    tiles: await fullTiles(epochHashes(db), before, hashes),
    accounts: leaves.map(({ salt, hash }, i) => {
      const { account, was, hash: last_hash, root, frontier: tree, tiles } = seals[i]!
      return {
        account,
        was,
        size: tree.size,
        hash: last_hash,
        root: root.toString('hex'),
        frontier: frontierText(tree),
        leaf: before.size + i,
        leaf_hash: hash.toString('hex'),
        salt: salt.toString('hex'),
        tiles,
      }
    }),
  }
}

import type { Db } from '../db/connect.ts'
import { readSealWork, readUnprovenLeaf } from '../db/queries/ledger/sealing.ts'
import { epochHashes } from '../db/queries/ledger/tiles.ts'
import type { Finding } from '../ledger/checker.ts'
import { type Frontier, emptyFrontier, extend, rootOf } from './merkle.ts'
import { MissingLeaves, leafHashes } from './tiled-tree.ts'

const leavesPerRead = 65_536

/**
 * Compares the leaves of the epochs with the seals of an account, and with the last epoch. A ledger that was cut together with its
 * seals looks complete: only these leaves show that it was longer.
 * @param leavesMax  a tree with more leaves is not read
 */
export async function leavesFinding(db: Db, account: string, leavesMax: number): Promise<Finding | null> {
  const { epoch } = await readSealWork(db, { accountsMax: 1, isAll: false })
  const leaf = await readUnprovenLeaf(db, account)
  if (leaf)
    return {
      place: 'seal',
      problem: `the epochs say that ${leaf.account_id} was sealed at seq ${leaf.size} (leaf ${leaf.n}), and no seal proves it`,
    }
  if (!epoch || epoch.size > leavesMax) return null
  const root = await rootOfLeaves(db, epoch.size)
  return root === epoch.root
    ? null
    : { place: 'log', problem: 'the leaves of the epochs do not give the root of the last epoch' }
}

async function rootOfLeaves(db: Db, size: number): Promise<string | undefined> {
  let tree: Frontier = emptyFrontier
  try {
    for (let from = 0; from < size; from += leavesPerRead)
      tree = extend(tree, await leafHashes(epochHashes(db), from, Math.min(size, from + leavesPerRead)))
  } catch (error) {
    if (error instanceof MissingLeaves) return undefined
    throw error
  }
  return rootOf(tree).toString('hex')
}

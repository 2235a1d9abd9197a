import type { Db } from '../db/connect.ts'
import {
  type SealWork,
  type StoredSeal,
  type UnsignedSeal,
  listUnsigned,
} from '../db/queries/ledger/sealing.ts'
import { nextSeal } from './account-seal.ts'
import { epochLeaf } from './epoch.ts'
import { storedFrontier } from './frontier-bytes.ts'
import type { LogKeys } from './log-keys.ts'
import { emptyFrontier, extend, leafHash, rootOf } from './merkle.ts'
import type { SealToSign } from './publish.ts'

/**
 * The seals of an epoch that was stored and not signed. Who stored it is not known, so each is computed again from the entries of
 * its ledger, and the root from all of them: otherwise anyone who writes to the database could have any history signed.
 * @param of.signed  the last signed epoch: every leaf after it is checked
 * @param given.archive  the folder with entries that were archived before they were sealed
 * @returns why they may not be signed; `elsewhere`: another process has signed them meanwhile
 */
export async function unsignedSeals(
  db: Db,
  { epoch, signed }: { epoch: StoredSeal; signed: SealWork['signed'] },
  given: { keys: LogKeys; archive: string | undefined },
): Promise<SealToSign[] | 'elsewhere' | { problem: string }> {
  const refused = (why: string) => ({ problem: `epoch ${epoch.size}, which is not signed yet, ${why}` })
  const before = signed ? storedFrontier(signed) : emptyFrontier
  if (!before) return { problem: `epoch ${signed!.size} was changed in the database` }
  const leaves = await listUnsigned(db, before.size)
  if (leaves.length === 0) return 'elsewhere'
  const seals: SealToSign[] = []
  for (const leaf of leaves) {
    if (leaf.root === null || !isInLeaf(leaf) || !(await isOfLedger(db, leaf, { ...given, epoch: signed })))
      return refused('has a seal that does not fit its ledger')
    seals.push({ account: leaf.account_id, size: leaf.size, root: leaf.root })
  }
  const tree = extend(
    before,
    leaves.map((leaf) => leaf.leaf_hash),
  )
  const isWhole = tree.size === epoch.size && rootOf(tree).toString('hex') === epoch.root
  return isWhole ? seals : refused('does not have the root of its seals')
}

const isInLeaf = ({ account_id: account, size, root, salt, leaf_hash: leaf }: UnsignedSeal): boolean =>
  leafHash(epochLeaf(salt, account, { size, root })).equals(leaf)

async function isOfLedger(
  db: Db,
  seal: UnsignedSeal,
  given: { keys: LogKeys; epoch: SealWork['signed']; archive: string | undefined },
): Promise<boolean> {
  const { account_id: account, size, was } = seal
  const before = {
    size: was,
    hash: seal.was_hash,
    root: seal.was_root,
    frontier: seal.was_frontier,
    note: seal.was_note,
    by_epochs: seal.told,
    archived_to: seal.archived_to,
  }
  const made = await nextSeal(
    db,
    { account, seq: size, head: seal.hash, ...before },
    { ...given, entriesMax: size - was },
  )
  return !('problem' in made) && made.root.equals(seal.root)
}

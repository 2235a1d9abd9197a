import type { Db } from '../db/connect.ts'
import { type UnsignedSeal, listUnsigned } from '../db/queries/ledger/seals.ts'
import { ledgerHashes } from '../db/queries/ledger/tiles.ts'
import { isOurs } from './checkpoints.ts'
import { epochLeaf } from './epoch.ts'
import type { LogKeys } from './log-keys.ts'
import { consistencyRanges, leafHash, provesConsistency } from './merkle.ts'
import type { SealToSign } from './publish.ts'
import { MissingLeaves, rootsOf } from './tiled-tree.ts'

/**
 * The seals of an epoch that was stored and not signed. Who stored it is not known, so each must go on from a seal that the log
 * has signed: otherwise whoever writes to the database could have any history signed.
 * @returns why they may not be signed, where one does not
 */
export async function unsignedSeals(
  db: Db,
  epochSize: number,
  keys: LogKeys,
): Promise<SealToSign[] | { problem: string }> {
  const seals = await listUnsigned(db, epochSize)
  for (const seal of seals) {
    if (isInLeaf(seal) && (await followsSigned(db, seal, keys))) continue
    return {
      problem: `epoch ${epochSize}, which is not signed yet, has a seal that does not go on from the one before it`,
    }
  }
  return seals.map(({ account_id: account, size, root }) => ({ account, size, root }))
}

const isInLeaf = ({ account_id: account, size, root, salt, leaf_hash: leaf }: UnsignedSeal): boolean =>
  leafHash(epochLeaf(salt, account, { size, root })).equals(leaf)

async function followsSigned(
  db: Db,
  { account_id: account, size, root, ...before }: UnsignedSeal,
  keys: LogKeys,
): Promise<boolean> {
  const { was, was_root: wasRoot, was_note: note, told } = before
  if (told !== was) return false
  if (was === 0) return true
  const whose = note === null ? 'wrong' : isOurs(note, keys, { size: was, root: wasRoot!.toString('hex') })
  if (whose === 'wrong' || (whose === 'foreign' && keys.lostTo === 0)) return false
  try {
    const path = await rootsOf(ledgerHashes(db, account), size, consistencyRanges(was, size))
    return provesConsistency({ size: was, root: wasRoot! }, { size, root }, path)
  } catch (error) {
    if (error instanceof MissingLeaves) return false
    throw error
  }
}

import type { Db } from '../db/connect.ts'
import { type UnsignedSeal, listUnsigned } from '../db/queries/ledger/sealing.ts'
import { nextSeal } from './account-seal.ts'
import { epochLeaf } from './epoch.ts'
import type { LogKeys } from './log-keys.ts'
import { leafHash } from './merkle.ts'
import type { SealToSign } from './publish.ts'

/**
 * The seals of an epoch that was stored and not signed. Who stored it is not known, so each is computed again from the entries of
 * its ledger: otherwise anyone who writes to the database could have any history signed.
 * @param given.archive  the folder with entries that were archived before they were sealed
 * @returns why they may not be signed, where one is not the seal of its ledger
 */
export async function unsignedSeals(
  db: Db,
  epochSize: number,
  given: { keys: LogKeys; archive: string | undefined },
): Promise<SealToSign[] | { problem: string }> {
  const seals = await listUnsigned(db, epochSize)
  for (const seal of seals) {
    if (isInLeaf(seal) && (await isOfLedger(db, seal, given))) continue
    return { problem: `epoch ${epochSize}, which is not signed yet, has a seal that does not fit its ledger` }
  }
  return seals.map(({ account_id: account, size, root }) => ({ account, size, root }))
}

const isInLeaf = ({ account_id: account, size, root, salt, leaf_hash: leaf }: UnsignedSeal): boolean =>
  leafHash(epochLeaf(salt, account, { size, root })).equals(leaf)

async function isOfLedger(
  db: Db,
  seal: UnsignedSeal,
  given: { keys: LogKeys; archive: string | undefined },
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

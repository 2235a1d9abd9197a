import type { Db } from '../db/connect.ts'
import { pageEntries } from '../db/queries/ledger/ledger.ts'
import { type PublishedSeal, readEpochNote } from '../db/queries/ledger/seals.ts'
import { type StoredHashes, epochHashes, ledgerHashes } from '../db/queries/ledger/tiles.ts'
import { inclusionRanges, leafHash, provesInclusion } from './merkle.ts'
import { parseCheckpoint } from './note.ts'
import { leafHashes, rootsOf } from './tiled-tree.ts'

/** What cannot be proven, because what is stored does not make what was signed. */
export class BrokenTree extends Error {}

const header = 'c2sp.org/tlog-proof@v1'

/**
 * A proof that a tree has a leaf: a C2SP tlog-proof. It is checked before it is given away.
 * @param of.extra  bytes that the proof carries without proving them
 */
async function tlogProof(
  stored: StoredHashes,
  of: { index: number; leaf: Buffer; extra: Buffer; size: number; root: Buffer; note: string },
): Promise<string> {
  const { index, size, root, extra, note } = of
  const path = await rootsOf(stored, size, inclusionRanges(index, size))
  if (!provesInclusion({ index, hash: of.leaf }, { size, root }, path))
    throw new BrokenTree(`leaf ${index} is not in the tree of ${size} that was signed`)
  const lines = [header, `extra ${extra.toString('base64')}`, `index ${index}`]
  return `${[...lines, ...path.map((hash) => hash.toString('base64'))].join('\n')}\n\n${note}`
}

/** The proof that an epoch has a seal; undefined where no published epoch has it. */
export async function epochProof(db: Db, seal: PublishedSeal): Promise<string | undefined> {
  const epoch = seal.epoch === null ? undefined : await readEpochNote(db, seal.epoch)
  if (!epoch) return undefined
  const { size, root } = parseCheckpoint(epoch.note)!
  const stored = epochHashes(db)
  const [leaf] = await leafHashes(stored, seal.epoch_leaf, seal.epoch_leaf + 1)
  return tlogProof(stored, {
    index: seal.epoch_leaf,
    leaf: leaf!,
    extra: seal.salt,
    size,
    root,
    note: epoch.note,
  })
}

/**
 * The proof of an entry: its text, that the account's tree has it, and that an epoch has that tree.
 * @returns undefined where the text is archived
 * @source packages/verify/README.md#proof-of-an-entry-tlog-proof
 */
export async function entryProof(
  db: Db,
  account: string,
  seq: number,
  seal: PublishedSeal,
): Promise<string | undefined> {
  const [[row], epoch] = await Promise.all([
    pageEntries(db, account, { after: seq - 1, upTo: seq, limitRows: 1 }),
    epochProof(db, seal),
  ])
  if (!row) return undefined
  const { entry, prev } = row
  const bundle = { v: 1, account, seq, at: row.at.toISOString(), entry, prev, epoch }
  return tlogProof(ledgerHashes(db, account), {
    index: seq - 1,
    leaf: leafHash(Buffer.from(row.hash, 'hex')),
    extra: Buffer.from(JSON.stringify(bundle)),
    size: seal.size,
    root: seal.root,
    note: seal.note,
  })
}

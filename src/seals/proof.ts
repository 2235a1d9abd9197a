import type { Db } from '../db/connect.ts'
import { pageEntries } from '../db/queries/ledger/ledger.ts'
import type { PublishedSeal } from '../db/queries/ledger/seals.ts'
import { type StoredHashes, epochHashes, ledgerHashes } from '../db/queries/ledger/tiles.ts'
import { epochLeaf } from './epoch.ts'
import { inclusionRanges, leafHash, provesInclusion } from './merkle.ts'
import { parseCheckpoint } from './note.ts'
import { rootsOf } from './tiled-tree.ts'

/** What cannot be proven, because what is stored does not make what was signed. */
export class BrokenTree extends Error {}

const header = 'c2sp.org/tlog-proof@v1'

interface Proven {
  index: number
  leaf: Buffer
  size: number
  root: Buffer
}

/** The path of a leaf. It is checked before it is given away. @throws BrokenTree */
async function pathOf(stored: StoredHashes, { index, leaf, size, root }: Proven): Promise<Buffer[]> {
  const path = await rootsOf(stored, size, inclusionRanges(index, size))
  if (provesInclusion({ index, hash: leaf }, { size, root }, path)) return path
  throw new BrokenTree(`leaf ${index} is not in the tree of ${size} that was signed`)
}

/** A C2SP tlog-proof. @param extra  bytes that it carries without proving them */
function tlogProof(extra: Buffer, index: number, path: Buffer[], note: string): string {
  const lines = [header, `extra ${extra.toString('base64')}`, `index ${index}`]
  return `${[...lines, ...path.map((hash) => hash.toString('base64'))].join('\n')}\n\n${note}`
}

/** The proof that an epoch has a seal; undefined where no published epoch has it. */
export async function epochProof(db: Db, account: string, seal: PublishedSeal): Promise<string | undefined> {
  if (seal.epoch_note === null) return undefined
  const { size, root } = parseCheckpoint(seal.epoch_note)!
  const leaf = leafHash(epochLeaf(seal.salt, account, seal))
  const path = await pathOf(epochHashes(db), { index: seal.epoch_leaf, leaf, size, root })
  return tlogProof(seal.salt, seal.epoch_leaf, path, seal.epoch_note)
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
  const index = seq - 1
  const reading = pageEntries(db, account, { after: index, upTo: seq, limitRows: 1 })
  const proving = reading.then(([row]) =>
    row === undefined
      ? undefined
      : pathOf(ledgerHashes(db, account), {
          index,
          leaf: leafHash(Buffer.from(row.hash, 'hex')),
          size: seal.size,
          root: seal.root,
        }),
  )
  const [[row], path, epoch] = await Promise.all([reading, proving, epochProof(db, account, seal)])
  if (!row || !path) return undefined
  const { entry, prev } = row
  const bundle = { v: 1, account, seq, at: row.at.toISOString(), entry, prev, epoch }
  return tlogProof(Buffer.from(JSON.stringify(bundle)), index, path, seal.note)
}

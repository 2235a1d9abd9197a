import type { Db } from '../../db/connect.ts'
import { readArchivedTo } from '../../db/queries/ledger/archive.ts'
import { readHead } from '../../db/queries/ledger/ledger.ts'
import {
  type PublishedSeal,
  type ShownFault,
  listSealFaults,
  readEpochNote,
  readSealFor,
} from '../../db/queries/ledger/seals.ts'
import { ledgerHashes } from '../../db/queries/ledger/tiles.ts'
import { GateError } from '../../errors.ts'
import { consistencyRanges } from '../../seals/merkle.ts'
import { entryProof } from '../../seals/proof.ts'
import { pathText, requireRange } from './consistency.ts'
import { readProven, readProvingSeal } from './proven.ts'
import { requireHead } from '../require-account.ts'
import { rootsOf, tileHashes, tileWidth, widthOf } from '../../seals/tiled-tree.ts'

/** The last published checkpoint of the epochs. @throws GateError `not_found` */
export async function readCheckpoint(db: Db): Promise<string> {
  const epoch = await readEpochNote(db, null)
  if (!epoch) throw new GateError('not_found', 'No ledger has been sealed yet.')
  return epoch.note
}

/**
 * The proof of an entry.
 * @throws GateError `not_found` beyond the ledger, `not_sealed`, or `gone` where the entry is archived
 */
export async function readProof(db: Db, account: string, seq: number): Promise<string> {
  const found = await readProven(db, account, seq)
  if (!found) return refuseUnsealed(db, account, seq)
  if (found.entry !== null) return entryProof(account, seq, found)
  if (seq <= (await readArchivedTo(db, account)))
    throw new GateError(
      'gone',
      `Entry ${seq} is in the archive of this ledger, not in the database. \`gate ledger export --sealed --archive FOLDER\` proves it.`,
    )
  throw new GateError('not_found', `Entry ${seq} was not found in this ledger.`, { param: 'seq' })
}

async function refuseUnsealed(db: Db, account: string, seq: number): Promise<never> {
  const head = await readHead(db, account)
  if (!head || seq > head.seq)
    throw new GateError('not_found', `Entry ${seq} was not found in this ledger.`, { param: 'seq' })
  throw notSealed(
    `Entry ${seq} is not sealed yet. Ledgers are sealed every 10 seconds; ask again, or add ?wait=sealed.`,
  )
}

const notSealed = (sentence: string): GateError =>
  new GateError('conflict', sentence, { detail: 'not_sealed', retryAfterSeconds: 10 })

/** Whether an entry is sealed and published. */
export async function isSealed(db: Db, account: string, seq: number): Promise<boolean> {
  return (await readSealFor(db, account, seq)) !== undefined
}

/** @throws GateError `not_sealed` */
async function lastSeal(db: Db, account: string): Promise<PublishedSeal> {
  const seal = await readSealFor(db, account, null)
  if (seal) return seal
  throw unsealedLedger()
}

const unsealedLedger = () => notSealed('This ledger is not sealed yet.')

/** The last seal as a line of a sealed export. @throws GateError `not_found`, `not_sealed` */
export async function sealLine(
  db: Db,
  account: string,
): Promise<{ size: number; seal: { checkpoint: string; epoch: string | undefined } }> {
  await requireHead(db, account)
  const last = await readProvingSeal(db, account, null)
  if (!last) throw unsealedLedger()
  return { size: last.size, seal: { checkpoint: last.note, epoch: last.epochProof } }
}

/**
 * The proof that the ledger of `to` entries begins with that of `from`: a line for each hash, in base64.
 * @param range.to  absent: as much as is sealed
 */
export async function readConsistency(
  db: Db,
  account: string,
  range: { from: number; to?: number | undefined },
): Promise<string> {
  const { size } = await lastSeal(db, account)
  const { from, to } = requireRange(range, size)
  return pathText(await rootsOf(ledgerHashes(db, account), to, consistencyRanges(from, to)))
}

/** A tile of the account's tree: 256 hashes, or the first `width`. @throws GateError `not_found` for what is not sealed */
export async function readTile(
  db: Db,
  account: string,
  { level, n, width }: { level: number; n: number; width: number },
): Promise<Buffer> {
  const { size } = await lastSeal(db, account)
  if (width > widthOf({ level, n }, size))
    throw new GateError('not_found', 'This tile is not sealed, or not as wide.')
  return Buffer.concat(await tileHashes(ledgerHashes(db, account), { level, n }, Math.min(width, tileWidth)))
}

/** How far a ledger is sealed, for people. */
export interface SealedTo {
  /** The last sealed entry; 0 if none is. */
  seq: number
  at: Date | null
  /** Who cosigned the epoch that has this seal. */
  witnesses: string[]
  /** Why the sealer refuses to go on. */
  faults: ShownFault[]
}

export async function readSealedTo(db: Db, account: string): Promise<SealedTo> {
  const [seal, faults] = await Promise.all([readSealFor(db, account, null), listSealFaults(db, account)])
  if (!seal) return { seq: 0, at: null, witnesses: [], faults }
  return { seq: seal.size, at: seal.at, witnesses: seal.witnesses ?? [], faults }
}

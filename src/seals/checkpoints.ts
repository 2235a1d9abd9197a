import type { KeyObject } from 'node:crypto'
import type { Db } from '../db/connect.ts'
import { type StoredSeal, readLeafOfSeal } from '../db/queries/ledger/sealing.ts'
import { epochHashes } from '../db/queries/ledger/tiles.ts'
import { epochLeaf, epochOrigin } from './epoch.ts'
import { storedFrontier } from './frontier-bytes.ts'
import type { LogKeys } from './log-keys.ts'
import { inclusionRanges, leafHash, provesInclusion, rootOf } from './merkle.ts'
import {
  type Checkpoint,
  type NoteKey,
  checkpointText,
  formatNote,
  noteKey,
  noteSigner,
  parseCheckpoint,
  parseNote,
  signNote,
  verifiedKeys,
} from './note.ts'
import { MissingLeaves, rootsOf } from './tiled-tree.ts'

/**
 * Signs a checkpoint with each key, twice: the text alone under the name of its origin, which is what a log does; and with the
 * time, under the name of the epochs, which says when it was sealed.
 * @param url  of the service
 */
export function signCheckpoint(checkpoint: Checkpoint, keys: KeyObject[], url: string, now: Date): string {
  const text = checkpointText(checkpoint)
  const seconds = Math.floor(now.getTime() / 1_000)
  const signatures = keys.flatMap((key) => [
    signNote(text, noteSigner(checkpoint.origin, 0x01, key)),
    signNote(text, noteSigner(epochOrigin(url), 0x04, key), seconds),
  ])
  return formatNote({ text, signatures })
}

/** The keys by which outside verifiers know the log, under the name of an origin. */
export const publicKeys = (keys: Pick<LogKeys, 'all'>, origin: string): NoteKey[] =>
  keys.all.map(({ publicKey }) => noteKey(origin, 0x01, publicKey))

/** Whether one of these keys signed this note, and its checkpoint has this size and root. */
export function isOurs(
  note: string,
  keys: Pick<LogKeys, 'all'>,
  due: { size: number; root: string },
): 'ours' | 'foreign' | 'wrong' {
  const parsed = parseNote(note)
  const checkpoint = parsed && parseCheckpoint(parsed.text)
  if (!parsed || !checkpoint) return 'wrong'
  if (checkpoint.size !== due.size || checkpoint.root.toString('hex') !== due.root) return 'wrong'
  const signed = verifiedKeys(parsed, publicKeys(keys, checkpoint.origin))
  if (signed === undefined) return 'wrong'
  return signed.length > 0 ? 'ours' : 'foreign'
}

/** A stored seal of an account that has a note. Root in hex. */
interface NotedSeal {
  account: string
  size: number
  root: string
  note: string
}

/**
 * Whether the log has sealed this: with one of its keys; or, where that key is lost, because an epoch from before then has the
 * seal. The signature tells nothing any more; the seal can be rewritten in the database, and the recorded epochs cannot.
 * @param by.epoch  an epoch that is trusted
 */
export async function isOfLog(
  db: Db,
  seal: NotedSeal,
  by: { keys: Pick<LogKeys, 'all' | 'lostTo'>; epoch: StoredSeal | null },
): Promise<boolean> {
  const whose = isOurs(seal.note, by.keys, seal)
  if (whose !== 'foreign' || by.epoch === null) return whose === 'ours'
  const place = await readLeafOfSeal(db, seal.account, seal.size)
  if (!place || place.leaf < 0 || place.leaf >= by.keys.lostTo) return false
  const tree = { size: seal.size, root: Buffer.from(seal.root, 'hex') }
  const hash = leafHash(epochLeaf(place.salt, seal.account, tree))
  return isInEpoch(db, { index: place.leaf, hash }, by.epoch)
}

async function isInEpoch(db: Db, leaf: { index: number; hash: Buffer }, epoch: StoredSeal): Promise<boolean> {
  const tree = storedFrontier(epoch)
  if (!tree || leaf.index >= tree.size) return false
  try {
    const path = await rootsOf(epochHashes(db), tree.size, inclusionRanges(leaf.index, tree.size))
    return provesInclusion(leaf, { size: tree.size, root: rootOf(tree) }, path)
  } catch (error) {
    if (error instanceof MissingLeaves) return false
    throw error
  }
}

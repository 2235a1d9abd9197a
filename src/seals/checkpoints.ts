import type { KeyObject } from 'node:crypto'
import { epochOrigin } from './epoch.ts'
import type { LogKeys } from './log-keys.ts'
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

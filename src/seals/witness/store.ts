import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../data-dir/private-file.ts'
import {
  type Checkpoint,
  formatNote,
  type NoteSigner,
  parseCheckpoint,
  parseNote,
  type SignedNote,
  verifiedKeys,
} from '../note.ts'

/** The last checkpoint of a log that this witness cosigned. */
export interface Held {
  checkpoint: Checkpoint
  /** The note with the signatures of the log, and our own. */
  note: SignedNote
  /** Counts the checkpoints of the log: the next one is `turn + 1`. */
  turn: number
}

export interface WitnessStore {
  /** @param originHash  as `hashOfOrigin` */
  latest(originHash: string): Held | undefined
  /**
   * Keeps a checkpoint, on the disk before it returns.
   * @param turn  that of the held checkpoint plus one
   * @returns false where another process kept one first: nothing may be answered but what is held now
   */
  keep(originHash: string, checkpoint: Checkpoint, kept: { note: SignedNote; turn: number }): boolean
  /** Keeps the first checkpoint of a log that contradicts one that was cosigned: the log signed both. */
  keepFork(originHash: string, note: SignedNote): void
}

/** How monitors name a log. */
export const hashOfOrigin = (origin: string): string => createHash('sha256').update(origin).digest('hex')

const FILE = /^([0-9a-f]{64})\.checkpoint\.(\d{1,15})$/
/** What a process leaves that was killed while it wrote. */
const DRAFT = /^[0-9a-f]{64}\.(checkpoint\.\d{1,15}|fork)\.\d+-[0-9a-f]{8}$/

/**
 * One file for each log, `<hash of the origin>.checkpoint.<turn>`. A file is never changed: the next turn is linked under its
 * own name, which only one process can do, and then the one before is removed.
 * @throws Error that names a file that is damaged
 */
export function openStore(folder: string, signer: NoteSigner): WitnessStore {
  for (const name of readdirSync(folder)) if (DRAFT.test(name)) rmSync(join(folder, name), { force: true })
  const held = new Map<string, Held>()
  const load = (originHash: string) => {
    const turn = lastTurn(folder, originHash)
    if (turn !== undefined) held.set(originHash, readHeld(folder, { originHash, turn }, signer))
  }
  for (const originHash of new Set(filesOf(folder).map((file) => file.originHash))) load(originHash)
  return {
    latest: (originHash) => held.get(originHash),
    keep(originHash, checkpoint, { note, turn }) {
      const isOurs = linkNew(folder, nameOf(originHash, turn), formatNote(note))
      // The name may be free again for a process that is behind: a later turn tells.
      if (!isOurs || lastTurn(folder, originHash) !== turn) {
        if (isOurs) rmSync(join(folder, nameOf(originHash, turn)), { force: true })
        load(originHash)
        return false
      }
      held.set(originHash, { checkpoint, note, turn })
      for (const old of filesOf(folder))
        if (old.originHash === originHash && old.turn < turn)
          rmSync(join(folder, nameOf(originHash, old.turn)), { force: true })
      return true
    },
    keepFork: (originHash, note) => void linkNew(folder, `${originHash}.fork`, formatNote(note)),
  }
}

const nameOf = (originHash: string, turn: number): string => `${originHash}.checkpoint.${turn}`

function filesOf(folder: string): { originHash: string; turn: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const [, originHash, turn] = FILE.exec(name) ?? []
    return originHash === undefined ? [] : [{ originHash, turn: Number(turn) }]
  })
}

function lastTurn(folder: string, originHash: string): number | undefined {
  const turns = filesOf(folder).filter((file) => file.originHash === originHash)
  return turns.length === 0 ? undefined : Math.max(...turns.map(({ turn }) => turn))
}

/** Reads a held checkpoint. A damaged one stops the witness, which would otherwise cosign a history again from its beginning. */
function readHeld(
  folder: string,
  { originHash, turn }: { originHash: string; turn: number },
  signer: NoteSigner,
): Held {
  const file = join(folder, nameOf(originHash, turn))
  const note = parseNote(readFileSync(file, 'utf8'))
  const checkpoint = note && parseCheckpoint(note.text)
  const isOurs = note && (verifiedKeys(note, [signer]) ?? []).length === 1
  if (note && checkpoint && isOurs && hashOfOrigin(checkpoint.origin) === originHash)
    return { checkpoint, note, turn }
  throw new Error(
    `${file} is damaged, or of another key: it holds no checkpoint that this witness cosigned. Restore it, or start a new witness in another folder.`,
  )
}

/** Creates a file with all of its content, on the disk. @returns false if there is one of that name */
function linkNew(folder: string, name: string, content: string): boolean {
  const draft = join(folder, `${name}.${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    const handle = openSync(draft, 'wx', 0o600)
    try {
      writeFileSync(handle, content)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    linkSync(draft, join(folder, name))
    syncFolder(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

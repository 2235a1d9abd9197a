import type { Db } from '../../db/connect.ts'
import { storeCosignatures } from '../../db/queries/ledger/sealing.ts'
import { readEpochNote } from '../../db/queries/ledger/seals.ts'
import { epochHashes } from '../../db/queries/ledger/tiles.ts'
import { signCheckpoint } from '../checkpoints.ts'
import { epochOrigin } from '../epoch.ts'
import { type LogKeys, signingKeys } from '../log-keys.ts'
import { consistencyRanges, emptyFrontier, rootOf } from '../merkle.ts'
import { parseNote, signatureLine } from '../note.ts'
import type { SealerDeps } from '../sealer-deps.ts'
import { rootsOf } from '../tiled-tree.ts'
import type { CosignReport } from './cosigners.ts'

/** What the witnesses say of an epoch, in sentences; null: nothing is missing. */
export interface Cosigned {
  missing: string | null
  /** Witnesses whose cosignature is missing. */
  silent: string[]
  /** Witnesses whose cosignature was stored now. */
  fresh: string[]
  /** Why the first epoch may not be signed yet. */
  unheard: string | null
  /** One holds another history: nothing more may be signed. */
  conflict: { problem: string; size: number } | null
  /** One holds a later epoch, which another process has published meanwhile. */
  isOvertaken: boolean
}

const complete: Cosigned = {
  missing: null,
  silent: [],
  fresh: [],
  unheard: null,
  conflict: null,
  isOvertaken: false,
}

const saysOf = (witness: string): string => `the witness ${witness} holds another history: `

/** Whether the sealer refuses because of what a witness holds. @param witness  absent: any */
export const isOfWitness = ({ problem }: { problem: string }, witness?: string): boolean =>
  witness === undefined ? problem.startsWith('the witness ') : problem.startsWith(saysOf(witness))

/** Has the witnesses cosign the last published epoch, and keeps what they sign. */
export async function cosign(deps: SealerDeps): Promise<Cosigned> {
  const cosigned = await cosignLast(deps)
  return cosigned.isOvertaken ? cosignLast(deps) : cosigned
}

async function cosignLast({ db, cosigners, log }: SealerDeps): Promise<Cosigned> {
  if (!cosigners) return complete
  const epoch = await readEpochNote(db, null)
  const note = epoch && parseNote(epoch.note)
  if (!note) return complete
  const { cosignatures, missing, conflict, isQuorum } = await cosigners.ask(note, (from, to) =>
    rootsOf(epochHashes(db), to, consistencyRanges(from, to)),
  )
  const fresh = cosignatures
    .filter(({ name }) => !epoch.witnesses.includes(name))
    .map((signature) => ({ name: signature.name, line: signatureLine(signature) }))
  if (fresh.length > 0) await storeCosignatures(db, epoch.size, fresh)
  if (missing.length > 0) log.warn({ epoch: epoch.size, missing }, 'epoch not cosigned by every witness')
  return {
    missing:
      missing.length === 0
        ? null
        : `Not cosigned by ${missing.join(', ')}: the quorum is ${isQuorum ? '' : 'not '}reached.`,
    silent: missing,
    fresh: fresh.map(({ name }) => name),
    unheard: null,
    ...(await conflictOf(db, conflict)),
  }
}

/**
 * Asks the witnesses whether they hold a history of this log, before its first epoch is signed: with a checkpoint of the empty
 * tree, which every history goes on from.
 * @returns `unheard` unless enough of them said that they hold nothing
 */
export async function askWhetherFirst(
  { db, cosigners, publicUrl, now = () => new Date() }: SealerDeps,
  keys: LogKeys,
): Promise<Cosigned> {
  if (!cosigners) return complete
  const [url, at] = [publicUrl(), now()]
  const empty = { origin: epochOrigin(url), size: 0, root: rootOf(emptyFrontier) }
  const note = parseNote(signCheckpoint(empty, signingKeys(keys, at), url, at))!
  const { missing, conflict, isHeard } = await cosigners.ask(note, () => [])
  return {
    ...complete,
    silent: missing,
    ...(await conflictOf(db, conflict)),
    unheard: isHeard
      ? null
      : `Nothing is sealed yet, and ${missing.join(', ')} did not say whether there was an earlier history. The first seal waits for the quorum of the witnesses.`,
  }
}

/** A later epoch at a witness is another history only if it is not published: each is published before it is cosigned. */
async function conflictOf(
  db: Db,
  conflict: CosignReport['conflict'],
): Promise<Pick<Cosigned, 'conflict' | 'isOvertaken'>> {
  if (!conflict) return { conflict, isOvertaken: false }
  const { witness, state, size } = conflict
  const isOvertaken = state === 'ahead' && size <= ((await readEpochNote(db, null))?.size ?? 0)
  if (isOvertaken) return { conflict: null, isOvertaken }
  const problem = `${saysOf(witness)}it has signed epoch ${size}, which the database does not go on from`
  return { conflict: { problem, size }, isOvertaken }
}

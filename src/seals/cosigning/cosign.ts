import { storeCosignatures } from '../../db/queries/ledger/sealing.ts'
import { readEpochNote } from '../../db/queries/ledger/seals.ts'
import { epochHashes } from '../../db/queries/ledger/tiles.ts'
import { consistencyRanges } from '../merkle.ts'
import { parseNote, signatureLine } from '../note.ts'
import type { SealerDeps } from '../sealer-deps.ts'
import { rootsOf } from '../tiled-tree.ts'

/** What the witnesses say of an epoch, in sentences; null: nothing is missing. */
export interface Cosigned {
  missing: string | null
  /** Those whose cosignature is missing. */
  silent: string[]
  /** One holds another history: nothing more may be signed. */
  conflict: { problem: string; size: number } | null
}

const complete: Cosigned = { missing: null, silent: [], conflict: null }

const saysOf = (witness: string): string => `the witness ${witness} holds another history: `

/** Whether the sealer refuses because of what a witness holds. @param witness  absent: any */
export const isOfWitness = ({ problem }: { problem: string }, witness?: string): boolean =>
  witness === undefined ? problem.startsWith('the witness ') : problem.startsWith(saysOf(witness))

/** Has the witnesses cosign the last published epoch, and keeps what they sign. */
export async function cosign({ db, cosigners, log }: SealerDeps): Promise<Cosigned> {
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
    conflict: conflict && {
      problem: `${saysOf(conflict.witness)}it has signed epoch ${conflict.size}, which the database does not go on from`,
      size: conflict.size,
    },
  }
}

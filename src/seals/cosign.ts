import { readEpochNote, storeCosignatures } from '../db/queries/ledger/seals.ts'
import { epochHashes } from '../db/queries/ledger/tiles.ts'
import { consistencyRanges } from './merkle.ts'
import { parseNote, signatureLine } from './note.ts'
import type { SealerDeps } from './sealer.ts'
import { rootsOf } from './tiled-tree.ts'

/** Has the witnesses cosign an epoch. @returns who did not, in a sentence; null if nobody is missing */
export async function cosign({ db, cosigners, log }: SealerDeps, size: number): Promise<string | null> {
  if (!cosigners || size === 0) return null
  const epoch = await readEpochNote(db, size)
  const note = epoch && parseNote(epoch.note)
  if (!note) return null
  const report = await cosigners.ask(note, (from, to) =>
    rootsOf(epochHashes(db), to, consistencyRanges(from, to)),
  )
  const fresh = report.cosignatures.filter(({ name }) => !epoch.witnesses.includes(name))
  if (fresh.length > 0) {
    await storeCosignatures(
      db,
      size,
      fresh.map((signature) => ({ name: signature.name, line: signatureLine(signature) })),
    )
  }
  if (report.missing.length === 0) return null
  const why = `Not cosigned by ${report.missing.join(', ')}.`
  log.warn({ epoch: size, missing: report.missing }, 'epoch not cosigned by every witness')
  return why
}

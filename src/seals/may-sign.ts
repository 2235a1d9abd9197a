import { dirname } from 'node:path'
import type { SealWork } from '../db/queries/ledger/sealing.ts'
import { isOurs } from './checkpoints.ts'
import { isOfWitness } from './cosigning/cosign.ts'
import { readHeldEpoch } from './held-epoch.ts'
import { type LogKeys, makeLogKey, readLogKeys } from './log-keys.ts'
import { type LogPlace, logPlace } from './log-place.ts'
import { rollbackProblem } from './rollback.ts'
import type { SealerDeps } from './sealer-deps.ts'

/** Why nothing may be signed. */
export interface Obstacle {
  /** Tenants read it: without a path of this machine. */
  problem: string
  /** The folder that it is about, for the operator. */
  folder?: string
}

/** The keys that may sign; or why there are none. The first process that needs a key makes it. */
export function keysFor(
  { now = () => new Date() }: SealerDeps,
  { signed }: SealWork,
  place: LogPlace,
): LogKeys | string {
  const known = readLogKeys(place)
  if (!known && place.isOfOther)
    return 'DATA_DIR has the log of another database. `gate ledger keys replace` begins one for this database.'
  if (!known && signed === null) return makeLogKey(place, 0, now())
  if (known && !known.isInFile && place.isRecordOfOther)
    return `${dirname(place.stateFolder)} has the record of another log. Where the database was replaced on purpose, set another LEDGER_KEY, and put that record aside.`
  if (!known) return 'This process has no key of the log. Another process signs, or its key is lost.'
  const isForeign =
    signed !== null && signed.size > known.lostTo && isOurs(signed.note, known, signed) === 'foreign'
  return isForeign ? 'The ledgers are sealed with another key than the one of this process.' : known
}

/** Why nothing may be signed now; null: nothing stands against it. */
export async function obstacle(deps: SealerDeps, work: SealWork, keys: LogKeys): Promise<Obstacle | null> {
  const { stateFolder } = logPlace(deps.config, work.log)
  const held = readHeldEpoch(stateFolder)
  const { epoch, signed, faults } = work
  const ours = signed !== null && signed.size > keys.lostTo ? signed : null
  if (!held && keys.isInFile && ours)
    return { problem: 'the record of the last signed epoch is missing', folder: stateFolder }
  const rollback = await rollbackProblem(deps.db, epoch, held)
  if (rollback !== null) return { problem: rollback }
  if (ours && isOurs(ours.note, keys, ours) === 'wrong')
    return { problem: `the signature of epoch ${ours.size} was changed` }
  // Another process knows more than this one, until it says otherwise. A witness is asked by this one, too.
  const other = faults.find(({ account }) => account === '')
  if (!other || (deps.cosigners && isOfWitness(other))) return null
  return other.held > (held?.size ?? 0) ? { problem: other.problem } : null
}

/**
 * Whether this would be the first epoch as far as this process can tell, which is not far: without a record, an empty database
 * looks like one that lost its seals. A key in a file may have been restored, or its record may be elsewhere.
 */
export const mayBeFirst = ({ signed }: SealWork, { stateFolder }: LogPlace): boolean =>
  signed === null && !readHeldEpoch(stateFolder)

import { renameSync } from 'node:fs'
import type { Db } from '../db/connect.ts'
import { GateError } from '../errors.ts'
import { type SealWork, readSealWork, setSealFaults } from '../db/queries/ledger/sealing.ts'
import { readHeldEpoch } from './held-epoch.ts'
import { isOurs } from './checkpoints.ts'
import { type LogKeys, makeLogKey, readLogKeys } from './log-keys.ts'
import { type LogPlace, logPlace } from './log-place.ts'
import { rollbackProblem } from './rollback.ts'
import type { SealerDeps } from './sealer-deps.ts'

/**
 * Begins a new log from what the database has now: puts the keys and the record of the last epoch aside, and makes a key. Outside verifiers
 * must be given the new one: what the old one signed is not continued.
 * @throws GateError `conflict` where nothing of the log is lost, or LEDGER_KEY would go on signing with the key of the old log
 */
export async function beginLog({
  db,
  config,
  now,
}: Pick<SealerDeps, 'db' | 'config'> & { now: Date }): Promise<LogKeys> {
  const work = await readSealWork(db, { accountsMax: 1, isAll: false })
  const { log, epoch, signed, faults } = work
  const place = logPlace(config, log)
  if (await isWhole(db, work, place)) throw whole(place)
  const given = newGivenKeys(place, signed)
  for (const folder of new Set([place.keyFolder, place.stateFolder])) putAside(folder, now)
  // The key starts at the published epoch. The record may know of more: what follows this epoch is signed with the new key.
  const keys = given ?? makeLogKey(place, epoch?.size ?? 0, now)
  await setSealFaults(
    db,
    faults.filter(({ account }) => account !== ''),
  )
  return keys
}

/** Whether this process has the key that signed the last epoch, and a record that the database goes on from. */
async function isWhole(db: Db, { epoch, signed, faults }: SealWork, place: LogPlace): Promise<boolean> {
  const keys = readLogKeys(place)
  const held = readHeldEpoch(place.stateFolder)
  if (!keys?.isInFile || !held || signed === null || faults.length > 0) return false
  return isOurs(signed.note, keys, signed) === 'ours' && (await rollbackProblem(db, epoch, held)) === null
}

const whole = ({ keyFolder }: LogPlace): GateError =>
  new GateError(
    'conflict',
    `The log is whole: its key is in ${keyFolder}. \`gate ledger keys rotate\` changes the key. To begin a new log all the same, stop the workers and move that folder away first.`,
  )

/** The keys of LEDGER_KEY, none of which has signed what is there; undefined where the keys are in a file. */
function newGivenKeys(place: LogPlace, signed: SealWork['signed']): LogKeys | undefined {
  if (place.givenKeys === undefined) return undefined
  const keys = readLogKeys(place)!
  const signing = { all: keys.all.filter(({ privateKey }) => privateKey !== null) }
  if (signed === null || isOurs(signed.note, signing, signed) === 'foreign') return keys
  throw new GateError(
    'conflict',
    'LEDGER_KEY has the key of the log that is to end. Set it to a new key, a comma, and the vkey of the old one, as `gate ledger keys` prints it, and run this again.',
  )
}

function putAside(folder: string, now: Date): void {
  try {
    renameSync(folder, `${folder}-until-${now.toISOString().replaceAll(/[:.]/g, '')}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

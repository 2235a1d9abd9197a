import { renameSync } from 'node:fs'
import { GateError } from '../errors.ts'
import { type SealWork, readSealWork, setSealFaults } from '../db/queries/ledger/seals.ts'
import { readHeldEpoch } from './held-epoch.ts'
import { isOurs } from './checkpoints.ts'
import { type LogKeys, makeLogKey, readLogKeys } from './log-keys.ts'
import { type LogPlace, logPlace } from './log-place.ts'
import type { SealerDeps } from './sealer-deps.ts'

/**
 * Begins a new log from what the database has now: puts the keys and the record of the last epoch aside, and makes a key. Strangers
 * must be given the new one: what the old one signed is not continued.
 * @throws GateError `conflict` where LEDGER_KEY would go on signing with the key of the old log
 */
export async function beginLog({
  db,
  config,
  now,
}: Pick<SealerDeps, 'db' | 'config'> & { now: Date }): Promise<LogKeys> {
  const { log, epoch, signed, faults } = await readSealWork(db, '', 1)
  const place = logPlace(config, log)
  const given = newGivenKeys(place, signed)
  const held = readHeldEpoch(place.stateFolder)?.size ?? 0
  for (const folder of new Set([place.keyFolder, place.stateFolder])) putAside(folder, now)
  const keys = given ?? makeLogKey(place, Math.max(epoch?.size ?? 0, held), now)
  await setSealFaults(
    db,
    faults.filter(({ account }) => account !== ''),
  )
  return keys
}

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

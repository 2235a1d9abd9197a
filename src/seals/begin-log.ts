import { renameSync } from 'node:fs'
import { readSealWork, setSealFaults } from '../db/queries/ledger/seals.ts'
import { readHeldEpoch } from './held-epoch.ts'
import { type LogKeys, makeLogKey, refuseGivenKey } from './log-keys.ts'
import { logPlace } from './log-place.ts'
import type { SealerDeps } from './sealer-deps.ts'

/**
 * Begins a new log from what the database has now: puts the keys and the record of the last epoch aside, and makes a key. Strangers
 * must be given the new one: what the old one signed is not continued.
 * @throws GateError `conflict` where the key is that of LEDGER_KEY
 */
export async function beginLog({
  db,
  config,
  now,
}: Pick<SealerDeps, 'db' | 'config'> & { now: Date }): Promise<LogKeys> {
  const { log, epoch, faults } = await readSealWork(db, '', 1)
  const place = logPlace(config, log)
  refuseGivenKey(place)
  const held = readHeldEpoch(place.stateFolder)?.size ?? 0
  for (const folder of new Set([place.keyFolder, place.stateFolder])) putAside(folder, now)
  const keys = makeLogKey(place, Math.max(epoch?.size ?? 0, held), now)
  await setSealFaults(
    db,
    faults.filter(({ account }) => account !== ''),
  )
  return keys
}

function putAside(folder: string, now: Date): void {
  try {
    renameSync(folder, `${folder}-until-${now.toISOString().replaceAll(/[:.]/g, '')}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

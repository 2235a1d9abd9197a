import { renameSync } from 'node:fs'
import { readSealWork, setSealFaults } from '../db/queries/ledger/seals.ts'
import { readHeldEpoch } from './held-epoch.ts'
import { type LogKeys, ledgerFolder, makeLogKey, refuseGivenKey } from './log-keys.ts'
import { type SealerDeps, stateFolder } from './sealer-deps.ts'

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
  refuseGivenKey(config)
  const { epoch, faults } = await readSealWork(db, '', 1)
  const held = readHeldEpoch(stateFolder(config))?.size ?? 0
  for (const folder of new Set([ledgerFolder(config), stateFolder(config)])) putAside(folder, now)
  const keys = makeLogKey(config, Math.max(epoch?.size ?? 0, held), now)
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

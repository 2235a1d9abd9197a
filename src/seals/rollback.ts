import type { Db } from '../db/connect.ts'
import { type StoredSeal, readLog, readSealWork } from '../db/queries/ledger/sealing.ts'
import { epochHashes } from '../db/queries/ledger/tiles.ts'
import { storedFrontier } from './frontier-bytes.ts'
import { type HeldEpoch, readHeldEpoch } from './held-epoch.ts'
import { consistencyRanges, provesConsistency } from './merkle.ts'
import { logPlace } from './log-place.ts'
import type { SealerDeps } from './sealer-deps.ts'
import { MissingLeaves, rootsOf } from './tiled-tree.ts'

/**
 * Why the epochs in the database do not go on from the one that is recorded outside of it; null if they do. So a database that was
 * restored from a backup is not signed as if nothing had been signed after that backup.
 * @param read  the last epoch, read before the record
 */
export async function rollbackProblem(
  db: Db,
  read: StoredSeal | null,
  held: HeldEpoch | undefined,
): Promise<string | null> {
  // An epoch is stored before it is recorded: another process may have done both since the first reading.
  const isOvertaken = held !== undefined && held.size > (read?.size ?? 0)
  const epoch = isOvertaken ? (await readSealWork(db, { accountsMax: 1, isAll: false })).epoch : read
  if (epoch && !storedFrontier(epoch)) return `epoch ${epoch.size} was changed in the database`
  if (!held) return null
  if (held.size > (epoch?.size ?? 0)) {
    return `the database is older than what was signed: it ends at epoch ${epoch?.size ?? 0}, but epoch ${held.size} is recorded outside of it`
  }
  return (await extendsHeld(db, epoch!, held))
    ? null
    : `the database has another history than what was signed: it does not contain epoch ${held.size}, which is recorded outside of it`
}

async function extendsHeld(db: Db, epoch: StoredSeal, held: HeldEpoch): Promise<boolean> {
  if (held.size === epoch.size) return held.root === epoch.root
  const [before, after] = [held, epoch].map(({ size, root }) => ({ size, root: Buffer.from(root, 'hex') }))
  try {
    const path = await rootsOf(epochHashes(db), epoch.size, consistencyRanges(held.size, epoch.size))
    return provesConsistency(before!, after!, path)
  } catch (error) {
    if (error instanceof MissingLeaves) return false
    throw error
  }
}

/** Whether the published epochs end before the one that is recorded outside of the database. Cheap: it proves nothing else. */
export async function isBehindRecord({ db, config }: Pick<SealerDeps, 'db' | 'config'>): Promise<boolean> {
  const { log, size } = await readLog(db)
  const held = readHeldEpoch(logPlace(config, log).stateFolder)
  // Again: another process may have stored and recorded an epoch since.
  return held !== undefined && held.size > size && held.size > (await readLog(db)).size
}

import { existsSync } from 'node:fs'
import { removeOutsideCluster } from './postgres-cluster.ts'
import { claimRunFile } from '../data-dir/run-file.ts'

/**
 * Deletes what the embedded services keep outside of DATA_DIR, after stopping what a killed start left.
 * @throws Error when a start still runs on this DATA_DIR
 */
export async function eraseEmbedded(dataDir: string, log: (line: string) => void): Promise<void> {
  if (!existsSync(dataDir)) return
  const run = await claimRunFile(dataDir, log)
  removeOutsideCluster(dataDir)
  run.release()
}

import { existsSync } from 'node:fs'
import { removeOutsideCluster } from './postgres-cluster.ts'
import { claimRunFile } from '../../src/data-dir/run-file.ts'

/**
 * Stops servers that a killed start left behind, and deletes the data of embedded services outside of DATA_DIR.
 * @throws Error if the service is running on this DATA_DIR
 */
export async function eraseEmbedded(dataDir: string, log: (line: string) => void): Promise<void> {
  if (!existsSync(dataDir)) return
  const run = await claimRunFile(dataDir, log)
  removeOutsideCluster(dataDir)
  run.release()
}

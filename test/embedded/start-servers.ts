import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../dev/embedded/postgres.ts'
import { claimRunFile } from '../../src/data-dir/run-file.ts'
import { startEmbeddedTemporal } from '../../dev/embedded/temporal.ts'

/**
 * A start to be killed: `start-servers.ts DATA_DIR [postgres] [temporal]` says in one line of JSON what it started,
 * and lives until it is killed.
 */
const [dataDir = '', ...wanted] = process.argv.slice(2)
const log = (line: string): void => void process.stderr.write(`${line}\n`)
const claim = await claimRunFile(dataDir, log)
const pids: { postgres?: number; temporal?: number } = {}
if (wanted.includes('postgres')) {
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  pids.postgres = postgres.pid
  claim.record({ pids, postgres, addresses: { base_url: 'http://127.0.0.1:1' } })
}
if (wanted.includes('temporal')) {
  const temporal = await startEmbeddedTemporal({ dbFile: join(dataDir, 'temporal.db'), headless: true, log })
  if (temporal.pid) pids.temporal = temporal.pid
  claim.record({ pids, temporal })
}
console.log(JSON.stringify(pids))
process.stdin.resume()

import { readConfig } from './config.ts'
import { type Deps, makeDeps } from './deps.ts'
import { startSealing } from './operations/seals/seal-loop.ts'
import { databaseObstacle } from './db/readiness.ts'
import { isProgram } from './process/root.ts'
import { stopOnSignal } from './process/shutdown.ts'
import { loadTelemetry } from './telemetry/telemetry.ts'
import { listenForHealth } from './workers/listen-for-health.ts'
import { startPatiently } from './workers/start-patiently.ts'

const retryMs = 2_000

/**
 * The sealer as a process of its own, for installations whose workers keep nothing: it alone needs the key of the log, and the folder
 * with its record of the last seal.
 */
async function main(): Promise<void> {
  const config = readConfig()
  const telemetry = await loadTelemetry(config, 'sealer')
  // It sends nothing, so it needs no credential of a provider.
  const deps = makeDeps(config, { applicationName: 'gate sealer', telemetry, channels: {} })
  const health = await listenForHealth(deps, { needsTemporal: false })
  const metrics = await telemetry.serve(deps)
  const sealing = startPatiently(() => startWhenReady(deps), { log: deps.log, retryMs })
  health.tellOf(sealing)
  const stop = async () => {
    await sealing.stop()
    await health.close()
    await metrics.stop()
    await deps.close()
  }
  stopOnSignal(deps.log, stop, sealing.failed)
}

/** @throws Error where the database cannot be used yet */
async function startWhenReady(deps: Deps) {
  const obstacle = await databaseObstacle(deps.db)
  if (obstacle !== null) throw new Error(`database ${obstacle}`)
  return { ...startSealing(deps), failed: new Promise<never>(() => {}) }
}

if (isProgram(import.meta.url)) {
  main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
}

import { readConfig } from './config.ts'
import { type Deps, makeDeps } from './deps.ts'
import { readiness } from './operations/readiness.ts'
import { requireStandIns } from './providers/environment-providers.ts'
import { loadTelemetry } from './telemetry/telemetry.ts'
import { warnOfGuess } from './network/public-address.ts'
import { isProgram } from './process/root.ts'
import { stopOnSignal } from './process/shutdown.ts'
import { listenForHealth } from './workers/listen-for-health.ts'
import { startPatiently } from './workers/start-patiently.ts'
import { type RunningWorkers, startWorkers } from './workers/start-workers.ts'

const retryMs = 2_000

/** The worker's process: waits for its database and Temporal as long as it takes, and says so on its own port. */
async function main(): Promise<void> {
  const config = readConfig()
  requireStandIns(config)
  const telemetry = await loadTelemetry(config, 'worker')
  const deps = makeDeps(config, { applicationName: 'gate worker', telemetry })
  warnOfGuess(deps)
  const sandbox = deps.isSandbox && config.SANDBOX_URL === undefined ? await startSandbox(deps) : undefined
  // First: where its port is taken, no worker may be under way.
  const health = await listenForHealth(deps, { needsTemporal: true })
  const metrics = await telemetry.serve(deps)
  const workers = startPatiently(() => startWhenReady(deps), { log: deps.log, retryMs })
  health.tellOf(workers)

  const stop = async () => {
    await workers.stop()
    await health.close()
    await metrics.stop()
    await sandbox?.stop()
    await deps.close()
  }
  stopOnSignal(deps.log, stop, workers.failed)
}

/** Loads the stand-ins only where they are asked for and run nowhere else: the image does not have them. */
async function startSandbox(deps: Deps) {
  const { startSharedSandbox } = await import('../dev/sandbox/shared-sandbox.ts')
  return startSharedSandbox(deps)
}

/** @throws Error where the database or Temporal cannot be used yet */
async function startWhenReady(deps: Deps): Promise<RunningWorkers> {
  const { body } = await readiness(deps)
  if (body.database !== 'up') throw new Error(`database ${body.database}`)
  return startWorkers(deps)
}

if (isProgram(import.meta.url)) {
  main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
}

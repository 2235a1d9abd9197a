import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { readConfig } from './config.ts'
import { type Deps, makeDeps } from './deps.ts'
import { keptReadiness, readiness } from './operations/readiness.ts'
import { isProgram } from './root.ts'
import { stopOnSignal } from './shutdown.ts'
import { sayTakenPort } from './taken-port.ts'
import { type RunningWorkers, startWorkers } from './workers/start-workers.ts'

const retryMs = 2_000

/** The worker's process: waits for its database and Temporal as long as it takes, and says so on its own port. */
async function main(): Promise<void> {
  const config = readConfig()
  const deps = makeDeps(config, { applicationName: 'gate worker' })
  const stopping = new AbortController()
  let workers: RunningWorkers | undefined
  const sandbox = deps.isSandbox ? await startSandbox(deps) : undefined
  const health = await listenForHealth(deps, () => workers !== undefined)

  const stop = async () => {
    stopping.abort()
    await workers?.stop()
    await health.close()
    await sandbox?.stop()
    await deps.close()
  }
  const working = startWhenPossible(deps, stopping.signal).then((started) => {
    workers = started
    return started?.failed
  })
  stopOnSignal(deps.log, stop, working)
}

/** Loads the stand-ins only where they are asked for: a production process never does. */
async function startSandbox(deps: Deps) {
  const { startSharedSandbox } = await import('./sandbox/shared-sandbox.ts')
  return startSharedSandbox(deps)
}

async function startWhenPossible(deps: Deps, stopping: AbortSignal): Promise<RunningWorkers | undefined> {
  while (!stopping.aborted) {
    try {
      const { body } = await readiness(deps)
      if (body.database !== 'up') throw new Error(`database ${body.database}`)
      const workers = await startWorkers(deps)
      deps.log.info('working')
      return workers
    } catch (error) {
      deps.log.warn({ err: error }, 'not ready yet; trying again')
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined)
    }
  }
  return undefined
}

async function listenForHealth(deps: Deps, isWorking: () => boolean) {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  const readinessOfWorker = keptReadiness(deps, true)
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const state = await readinessOfWorker()
    const isReady = state.isReady && isWorking()
    return reply.code(isReady ? 200 : 503).send({ ...state.body, status: isReady ? 'ready' : 'not ready' })
  })
  const { HOST: host, WORKER_PORT: port } = deps.config
  await app
    .listen({ host, port })
    .catch(sayTakenPort('WORKER_PORT', { port, host, more: ' (WORKER_PORT=0 takes any free one)' }))
  return app
}

if (isProgram(import.meta.url)) {
  main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
}

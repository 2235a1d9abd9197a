import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { readConfig } from './config.ts'
import { type Deps, makeDeps } from './deps.ts'
import { type Sandbox, startSandbox } from './sandbox/sandbox.ts'
import { keptReadiness, readiness } from './operations/readiness.ts'
import { isProgram } from './root.ts'
import { stopOnSignal } from './shutdown.ts'
import { sayTakenPort } from './taken-port.ts'
import { type RunningWorkers, startWorkers } from './temporal/worker.ts'

const retryMs = 2_000

/** The worker's process: waits for its database and Temporal as long as it takes, and says so on its own port. */
async function main(): Promise<void> {
  const config = readConfig()
  const deps = makeDeps(config, { applicationName: 'gate worker' })
  const stopping = new AbortController()
  let workers: RunningWorkers | undefined
  const sandbox = deps.isSandbox ? await sandboxOnce(deps) : undefined
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

/** The stand-ins of the providers. A second worker on the same machine uses the first one's. */
async function sandboxOnce(deps: Deps): Promise<Sandbox | undefined> {
  const { SANDBOX_PORT: port } = deps.config
  try {
    const sandbox = await startSandbox({
      port,
      host: deps.config.HOST,
      dataFile: `${deps.config.DATA_DIR}/sandbox.jsonl`,
      gateUrl: () => deps.config.SANDBOX_GATE_URL ?? deps.publicUrl,
      log: deps.log,
    })
    deps.log.warn(`SANDBOX: nothing is delivered; read the messages at ${sandbox.url}`)
    return sandbox
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    deps.log.warn(`SANDBOX: using the stand-ins on port ${port}`)
    return undefined
  }
}

if (isProgram(import.meta.url)) {
  main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
}

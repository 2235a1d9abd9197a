import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from './app.ts'
import { addressOf, readConfig } from './config.ts'
import { type Deps, makeDeps } from './deps.ts'
import { limits } from './limits.ts'
import { warnOfGuess } from './network/public-address.ts'
import { requireStandIns } from './providers/environment-providers.ts'
import { isProgram } from './process/root.ts'
import { stopOnSignal } from './process/shutdown.ts'
import { loadTelemetry } from './telemetry/telemetry.ts'
import { sayTakenPort } from './network/taken-port.ts'

/** How often a server that stops closes connections whose request has been answered. */
const shutdownIdleMs = 100

export interface RunningApi {
  url: string
  /** Goes on serving for DRAIN_SECONDS, not ready, so that load balancers send their requests elsewhere. */
  drain(): Promise<void>
  /** Finishes running requests within the grace period. */
  stop(): Promise<void>
}

/**
 * Starts the HTTP server.
 * @throws Error that names PORT if it is in use
 */
export async function startApi(deps: Deps): Promise<RunningApi> {
  const { HOST, PORT } = deps.config
  const app = await buildApp(deps)
  await app.listen({ host: HOST, port: PORT }).catch(sayTakenPort('PORT', { port: PORT, host: HOST }))
  if (deps.config.TRUST_PROXY === 'true') deps.log.warn(trustsEverybody)
  const { port } = app.server.address() as AddressInfo
  const url = addressOf(HOST, port)
  deps.listensAt(url)
  return {
    url,
    async drain() {
      deps.stopping.isDraining = true
      app.server.prependListener('request', (_request, response) => {
        // A client that keeps its connection would use it until it breaks.
        response.shouldKeepAlive = false
      })
      await sleep(deps.config.DRAIN_SECONDS * 1_000)
    },
    async stop() {
      const late = setTimeout(() => app.server.closeAllConnections(), limits.shutdownGraceMs)
      // A connection that is kept alive would hold up the end after its last answer.
      const idle = setInterval(() => app.server.closeIdleConnections(), shutdownIdleMs)
      await app.close()
      clearInterval(idle)
      clearTimeout(late)
    },
  }
}

const trustsEverybody =
  'TRUST_PROXY=true accepts any X-Forwarded-For header, so a caller can choose the address that rate limits use. Set TRUST_PROXY to the number of proxies in front of this service (TRUST_PROXY=1), or to their addresses.'

async function main(): Promise<void> {
  const config = readConfig()
  requireStandIns(config)
  const telemetry = await loadTelemetry(config, 'api')
  const deps = makeDeps(config, { applicationName: 'gate api', telemetry })
  const metrics = await telemetry.serve(deps)
  const api = await startApi(deps)
  deps.log.info(`listening on ${api.url}`)
  // On a developer's own machine the guess is right.
  if (deps.config.NODE_ENV === 'production') warnOfGuess(deps)
  const stop = async (why: string) => {
    // At a terminal nobody else sends requests.
    if (why !== 'SIGINT') await api.drain()
    await api.stop()
    await metrics.stop()
    await deps.close()
  }
  stopOnSignal(deps.log, stop, new Promise(() => {}))
}

if (isProgram(import.meta.url)) {
  main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
}

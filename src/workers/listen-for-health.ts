import Fastify from 'fastify'
import type { Deps } from '../deps.ts'
import { sayTakenPort } from '../network/taken-port.ts'
import { keptReadiness } from '../operations/readiness.ts'

/**
 * Answers `/healthz` and `/readyz` of a process without an API, on WORKER_PORT.
 * @throws Error that names WORKER_PORT if it is in use
 */
export async function listenForHealth(deps: Deps, { needsTemporal }: { needsTemporal: boolean }) {
  let work: { isWorking(): boolean } | undefined
  const app = Fastify({ logger: false, forceCloseConnections: true })
  const readiness = keptReadiness(deps, needsTemporal)
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const state = await readiness()
    const isReady = state.isReady && work?.isWorking() === true
    return reply.code(isReady ? 200 : 503).send({ ...state.body, status: isReady ? 'ready' : 'not ready' })
  })
  const { HOST: host, WORKER_PORT: port } = deps.config
  await app
    .listen({ host, port })
    .catch(sayTakenPort('WORKER_PORT', { port, host, more: ' (WORKER_PORT=0 takes any free one)' }))
  return {
    /** Ready means that this works. */
    tellOf: (told: { isWorking(): boolean }) => void (work = told),
    close: () => app.close(),
  }
}

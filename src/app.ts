import rateLimit from '@fastify/rate-limit'
import Fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { randomUUID } from 'node:crypto'
import { consoleRoutes } from './console/console.ts'
import { asOneRequest } from './db/writes.ts'
import type { Deps } from './deps.ts'
import { GateError } from './errors.ts'
import { limits } from './limits.ts'
import { keptReadiness } from './operations/readiness.ts'
import { operations } from './operations/registry.ts'
import { answerUnreadable, sendError, toGateError } from './web/answer-errors.ts'
import { authenticateAgain, authenticator } from './transports/auth.ts'
import { checkoutDoneRoute } from './link-pages/checkout-done.ts'
import { connectPages } from './link-pages/connect-pages.ts'
import { decidePages } from './link-pages/decide-pages.ts'
import { llmsTxt } from './transports/llms.ts'
import { mcpRoutes, refuse } from './transports/mcp.ts'
import { openapi } from './transports/openapi.ts'
import { refuseOtherMethods, restRoutes, routeAllMethods } from './transports/rest.ts'
import { slackInteractions } from './transports/slack-interactions.ts'

/** Builds the API: every hook, route and error handler, in the order in which a request meets them. Does not listen. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.log,
    bodyLimit: limits.bodyBytesMax,
    trustProxy: trusted(deps.config.TRUST_PROXY) as boolean | string,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    // What is too long to be an id is refused as every other: no router's answer of its own.
    routerOptions: { maxParamLength: limits.headersBytesMax },
    exposeHeadRoutes: false,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, request, reply) => void answerUnrouted(error, request, reply),
  }) as unknown as FastifyInstance
  routeAllMethods(app)
  const served = operations(deps.kinds.values())
  await app.register(rateLimit, { global: false })
  const authenticate = authenticator(app, deps)

  app.removeContentTypeParser('text/plain')
  app.decorateRequest('caller', null)
  app.decorateRequest('authenticatedAt', 0)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    // Before the body is read: of one that is no JSON, or too large, nothing is said without a key.
    if (request.is404 && isBelowApi(request)) await refuseUnknown(request)
  })
  // After the body was read, whose events would lose what belongs to one request.
  app.addHook('preHandler', (_request, _reply, done) => asOneRequest(done))
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, caller, consoleSession: visitor } = request
    request.log.info(
      {
        method,
        route: routeOptions.url ?? 'none',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        account: caller?.account ?? visitor?.account,
        key: caller?.keyId,
        session: visitor?.sessionId,
      },
      'answered',
    )
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))

  describe(app, deps, served)
  checkoutDoneRoute(app)
  await connectPages(app, deps)
  await consoleRoutes(app, deps)
  await decidePages(app, deps)
  await slackInteractions(app, deps)

  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      await authenticate(request)
    })
    scope.addHook('preHandler', (request) => authenticateAgain(deps, request))
    restRoutes(scope, deps, served)
    await scope.register(async (mcp) => {
      mcp.addHook('onRequest', async (request) => refuseForeignOrigin(deps, request))
      mcp.setErrorHandler((error, request, reply) =>
        toGateError(error)?.code === 'malformed'
          ? refuse(reply, 400, -32_700, 'Parse error: the body must be one JSON-RPC message.')
          : sendError(error, request, reply),
      )
      mcpRoutes(mcp, deps, served)
    })
  })

  const notFound = (request: FastifyRequest, reply: FastifyReply) =>
    answerUnrouted(nothingHere(), request, reply)
  app.setNotFoundHandler((request, reply) => notFound(request, reply))
  return app

  async function refuseUnknown(request: FastifyRequest): Promise<never> {
    await authenticate(request)
    throw nothingHere()
  }

  // Below /api/ nothing is told without a key, not even that there is nothing.
  async function answerUnrouted(
    error: FastifyError | GateError,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    reply.header('x-request-id', request.id)
    try {
      if (isBelowApi(request)) await authenticate(request)
      return await sendError(error, request, reply)
    } catch (refusal) {
      return sendError(refusal, request, reply)
    }
  }
}

const isBelowApi = ({ raw }: FastifyRequest): boolean => raw.url?.startsWith('/api/') ?? false

const nothingHere = () => new GateError('not_found', 'There is nothing at this address.')

/** What needs no key: health, and the descriptions of the interface. */
function describe(app: FastifyInstance, deps: Deps, served: ReturnType<typeof operations>): void {
  const description = JSON.stringify(openapi(served))
  const text = llmsTxt(served, deps.config.TOOLS)
  const readiness = keptReadiness(deps)
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const state = await readiness()
    return reply.code(state.isReady ? 200 : 503).send(state.body)
  })
  app.get('/api/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(description),
  )
  app.get('/llms.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(text))
  for (const url of ['/healthz', '/readyz', '/api/openapi.json', '/llms.txt'])
    refuseOtherMethods(app, url, ['GET'])
}

/** A page of another origin may not speak to the tool endpoint through its visitor's browser. */
function refuseForeignOrigin(deps: Deps, request: FastifyRequest): void {
  const { origin } = request.headers
  if (origin === undefined) return
  if (new URL(deps.publicUrl()).origin !== origin) {
    throw new GateError('forbidden', 'Requests from this origin are not accepted.')
  }
}

function trusted(value: string | undefined): boolean | number | string {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  return /^\d+$/.test(value) ? Number(value) : value
}

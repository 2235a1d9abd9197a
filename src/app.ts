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
import { asOneRequest, followOn } from './db/writes.ts'
import type { Deps } from './deps.ts'
import { GateError } from './errors.ts'
import { limits } from './limits.ts'
import { keptReadiness } from './operations/readiness.ts'
import { mcpPath } from './operations/apps/addresses.ts'
import { overRest } from './operations/administration/admin-operation.ts'
import { adminOperations } from './operations/administration/registry.ts'
import type { Operation } from './operations/operation.ts'
import { operations } from './operations/registry.ts'
import { answerUnreadable, isBelowApi } from './web/answer-errors.ts'
import { beginSpan, endSpan, goOnInSpan } from './web/request-span.ts'
import { logRequest, note } from './web/request-log.ts'
import { routedAddress } from './web/routing.ts'
import {
  type Authenticator,
  authenticateAgain,
  authenticator,
  errorSender,
  isFresh,
} from './transports/auth.ts'
import { authorizeRoutes } from './link-pages/authorize-page.ts'
import { checkoutDoneRoutes } from './link-pages/checkout-done.ts'
import { connectRoutes } from './link-pages/connect-pages.ts'
import { descriptionRoutes } from './transports/descriptions.ts'
import { decideRoutes } from './link-pages/decide-pages.ts'
import { epochRoutes, ledgerRoutes } from './transports/ledger-routes.ts'
import { takeJson } from './transports/json-body.ts'
import { mcpRoutes } from './transports/mcp.ts'
import { sendMcpError } from './transports/mcp/errors.ts'
import { apiVersion, mcpVersion, productVersion } from './process/version.ts'
import { withDeadline } from './waiting/with-deadline.ts'
import { challenge, oauthRoutes, requireAppHost } from './transports/oauth/routes.ts'
import { receiptKeyRoutes } from './transports/receipt-keys.ts'
import { refuseOtherMethods, restRoutes } from './transports/rest.ts'
import { runnerRoutes, sendRunnerError } from './transports/runner/runner-routes.ts'
import { sendUnserved } from './transports/scim/http.ts'
import { scimRoutes } from './transports/scim/routes.ts'
import { chatRoutes } from './transports/chat-routes.ts'

/** How long the work of a request may go on after its caller hung up. Later, an error in it no longer knows of its writes. */
const abandonedRequestMs = 120_000

/** Builds the API: hooks, routes and error handlers, in the order in which a request passes them. Does not listen. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const app = newServer(deps, (error, request, reply) => {
    // An address that cannot be read reaches no hook.
    reply.raw.once('finish', () => logRequest(request, reply, deps.telemetry.metrics))
    void answerUnrouted(error, request, reply)
  })
  const served = operations(deps.kinds.own.values())
  await app.register(rateLimit, { global: false })
  const authenticate = authenticator(app, deps)
  const authenticateInTime = inTime(authenticate)

  app.removeContentTypeParser('text/plain')
  takeJson(app)
  app.decorateRequest('noted', null)
  app.decorateRequest('span', null)
  onEveryRequest(app, deps, refuseUnknown)
  app.addHook('preClose', async () => {
    deps.stopping.isEnding = true
    deps.longPolls.end()
  })
  app.setErrorHandler(sendUnserved)

  rootAndHealthRoutes(app, deps)
  descriptionRoutes(app, deps, served, authenticate)
  epochRoutes(app, deps)
  receiptKeyRoutes(app, deps)
  checkoutDoneRoutes(app)
  await connectRoutes(app, deps)
  await consoleRoutes(app, deps)
  await decideRoutes(app, deps)
  if (deps.config.OAUTH_URL !== undefined) await appRoutes(app, deps, served, authenticate)
  await chatRoutes(app, deps)

  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      await authenticateInTime(request, reply)
    })
    scope.addHook('preHandler', (request, _reply, done) => {
      if (isFresh(request)) done()
      else authenticateAgain(deps, request).then(() => done(), done)
    })
    scope.setErrorHandler(errorSender(authenticateInTime))
    restRoutes(scope, deps, [...served, ...adminOperations.map(overRest)])
    await scope.register(async (runners) => {
      runners.setErrorHandler(errorSender(authenticateInTime, sendRunnerError))
      runnerRoutes(runners, deps)
    })
    await scope.register(async (scim) => scimRoutes(scim, deps, authenticateInTime))
    ledgerRoutes(scope, deps)
    await scope.register(async (mcp) => {
      mcp.addHook('onRequest', (request, _reply, done) => done(foreignOrigin(deps, request)))
      mcp.setErrorHandler(errorSender(authenticate, sendMcpError))
      mcpRoutes(mcp, deps, { url: '/api/mcp', isOfApps: false, operations: served, authenticate })
    })
  })

  app.setNotFoundHandler((request, reply) => answerUnrouted(notFound(), request, reply))
  return app

  async function refuseUnknown(request: FastifyRequest): Promise<never> {
    await authenticate(request)
    throw notFound()
  }

  // Below /api/ and /scim/ unknown paths also require a key.
  async function answerUnrouted(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    reply.header('x-request-id', request.id)
    try {
      if (isBelowApi(request.raw.url ?? '')) await authenticate(request)
      return await sendUnserved(error, request, reply)
    } catch (refusal) {
      return sendUnserved(refusal, request, reply)
    }
  }
}

/** What connected apps use: sign-in, and the tools by the tokens that they got. */
async function appRoutes(
  app: FastifyInstance,
  deps: Deps,
  operations: Operation[],
  authenticate: Authenticator,
): Promise<void> {
  await oauthRoutes(app, deps)
  await authorizeRoutes(app, deps)
  const authenticateInTime = inTime(authenticate)
  await app.register(async (mcp) => {
    mcp.addHook('onRequest', async (request, reply) => {
      requireAppHost(deps, request)
      reply.header('cache-control', 'no-store')
      await authenticateInTime(request, reply)
      const foreign = foreignOrigin(deps, request)
      if (foreign) throw foreign
    })
    mcp.addHook('preHandler', async (request) => {
      if (!isFresh(request)) await authenticateAgain(deps, request)
    })
    mcp.addHook('onSend', async (request, reply) => challenge(deps, request, reply))
    mcp.setErrorHandler(errorSender(authenticate, sendMcpError))
    mcpRoutes(mcp, deps, { url: mcpPath, isOfApps: true, operations, authenticate })
  })
}

/** The hooks of every request. They take a callback: each promise would cost every request. */
function onEveryRequest(
  app: FastifyInstance,
  { telemetry }: Deps,
  refuseUnknown: (request: FastifyRequest) => Promise<never>,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    // Before the body is read: without a key, an invalid or too large body must not get another answer.
    if (request.is404 && isBelowApi(request.raw.url ?? '')) refuseUnknown(request).catch(done)
    else if (telemetry.tracing) beginSpan(telemetry.tracing, request, done)
    else done()
  })
  if (telemetry.tracing) app.addHook('preHandler', (request, _reply, done) => goOnInSpan(request, done))
  // After the body was read, because its events would lose the async context of the request.
  app.addHook('preHandler', (request, { raw }, done) => {
    note(request, { isAdmitted: true })
    if (request.routeOptions.config.mayWriteTwice?.(request) === false) return done()
    void asOneRequest(async () => {
      done()
      if (!raw.closed && !raw.destroyed) await new Promise((resolve) => raw.once('close', resolve))
      // Its caller is gone, and its work goes on. To wait for that here would keep its body, as large as 15 MB once parsed.
      if (!raw.writableFinished) followOn(abandonedRequestMs)
    })
  })
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply, telemetry.metrics)
    endSpan(request, reply)
    done()
  })
}

/** The Fastify instance with its limits. */
function newServer(
  deps: Deps,
  frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  return Fastify({
    loggerInstance: deps.log,
    bodyLimit: limits.bodyBytesMax,
    trustProxy: trusted(deps.config.TRUST_PROXY) as boolean | string,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    rewriteUrl: routedAddress,
    // A path parameter that is too long gets our own error, not the router's.
    // Links and base addresses are often pasted with a slash at the end.
    routerOptions: { maxParamLength: limits.headersBytesMax, ignoreTrailingSlash: true },
    exposeHeadRoutes: false,
    // One line for each request, when it is answered: see logRequest.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: 'idle',
    // A request that was on its way when the server began to close is served, and its connection ends.
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    frameworkErrors,
  }) as unknown as FastifyInstance
}

/** Authenticates within the time of the route, which began with the request. */
function inTime(authenticate: Authenticator) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { authenticatesWithinMs: ms } = request.routeOptions.config
    const caller = authenticate(request)
    await (ms === undefined ? caller : withDeadline(Math.max(0, ms - reply.elapsedTime), caller, tooLate))
  }
}

const tooLate = () =>
  new GateError('unavailable', 'The gate could not check the API key in time. Try again.', {
    retryAfterSeconds: 5,
  })

const notFound = () => new GateError('not_found', 'Not found. See /llms.txt for the available paths.')

/** What the root answers to programs. Browsers are led to the console. */
const index = {
  service: 'Qualification Gate',
  version: productVersion,
  api_version: apiVersion,
  mcp_version: mcpVersion,
  console: '/console',
  api: '/api/v1',
  mcp: '/api/mcp',
  openapi: '/api/openapi.json',
  llms: '/llms.txt',
  health: '/healthz',
}

/** Public routes: the root, and health. */
function rootAndHealthRoutes(app: FastifyInstance, deps: Deps): void {
  const readiness = keptReadiness(deps)
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const { isReady, body } = await readiness()
    return isReady && !deps.stopping.isDraining
      ? body
      : reply.code(503).send({ ...body, status: 'not ready' })
  })
  app.get('/', (request, reply) => {
    reply.header('vary', 'Accept')
    return request.headers.accept?.includes('text/html') ? reply.redirect('/console', 302) : index
  })
  for (const url of ['/', '/healthz', '/readyz']) refuseOtherMethods(app, url, ['GET'])
}

/** The refusal of an MCP request that a web page of another origin sends through a visitor's browser. */
function foreignOrigin(deps: Deps, { headers: { origin } }: FastifyRequest): GateError | undefined {
  const isOurs = origin === undefined || new URL(deps.publicUrl()).origin === origin
  return isOurs ? undefined : new GateError('forbidden', 'Requests from this browser origin are not allowed.')
}

function trusted(value: string | undefined): boolean | number | string {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  return /^\d+$/.test(value) ? Number(value) : value
}

import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
} from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { type Answer, type CallContext, type RestOperation, isReadOnly } from '../operations/operation.ts'
import { parseInput, parseSent } from '../operations/parse.ts'
import { runOperation } from '../operations/run-operation.ts'
import { hangUp } from '../web/hang-up.ts'
import { actionOf, note } from '../web/request-log.ts'
import { routedMethods } from '../web/routing.ts'
import { queryOf } from '../web/query-of.ts'
import { depsOf } from '../web/request-deps.ts'

/** Serves every operation that has a REST route. The scope authenticates. */
export function restRoutes(app: FastifyInstance, deps: Deps, operations: RestOperation[]): void {
  const served = operations.flatMap((operation) =>
    operation.http ? [{ operation, http: operation.http }] : [],
  )
  const byUrl = new Map<string, HTTPMethods[]>()
  for (const { operation, http } of served) {
    const url = http.path.replaceAll(/\{(\w+)\}/g, ':$1')
    byUrl.set(url, [...(byUrl.get(url) ?? []), http.method])
    app.route({
      method: http.method,
      url,
      config: {
        tool: operation.name,
        checksKey: operation.checksKey ?? false,
        namesMember: http.method === 'GET' && 'email' in operation.input.shape,
        mayWriteTwice: () => !isReadOnly(operation),
      },
      handler: (request, reply) => serve(deps, operation, request, reply),
    })
  }
  for (const [url, methods] of byUrl) refuseOtherMethods(app, url, methods)
}

/** Answers 405 to every method that a path does not support. */
export function refuseOtherMethods(
  app: FastifyInstance,
  url: string,
  methods: HTTPMethods[],
  config: FastifyContextConfig = {},
): void {
  app.route({
    method: routedMethods.filter((method) => !methods.includes(method)),
    url,
    config,
    // Before the body is read, but after the hooks of the scope.
    async onRequest(_request, reply) {
      reply.header('allow', methods.join(', '))
      throw new GateError('method_not_allowed', `This path supports only ${methods.join(' and ')}.`)
    },
    handler: unreached,
  })
}

function unreached(): never {
  throw new Error('onRequest answers before this handler')
}

async function serve(
  deps: Deps,
  operation: RestOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = request.headers['idempotency-key']
  const context: CallContext = {
    deps: depsOf(deps, request),
    ...request.caller!,
    source: 'api',
    idempotencyKey: operation.isKeyed ? singleHeader(key) : undefined,
    hungUp: hangUp(reply),
  }
  const input = gather(operation, request)
  note(request, { action: actionOf(input) })
  const answer = await runOperation(operation, context, input, (unparsed, { input: schema, http }) => ({
    // A parameter of a query is left out where it is absent.
    input: (http?.method === 'POST' ? parseSent : parseInput)(schema, unparsed),
  }))
  note(request, { action: actionOf(input, answer.body) })
  return send(reply, answer)
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.isReplayed) reply.header('idempotent-replayed', 'true')
  if (answer.location !== undefined) reply.header('location', answer.location)
  if (answer.type !== undefined) reply.type(answer.type)
  return reply.code(answer.status).send(answer.body)
}

/** Path, query and body as one flat object. Unknown fields are refused. */
function gather(operation: RestOperation, request: FastifyRequest): Record<string, unknown> {
  const { method, integers = [] } = operation.http!
  const path = Object.fromEntries(
    Object.entries(request.params as Record<string, string>).map(([name, value]) => [
      name,
      integers.includes(name) ? pathInteger(value) : value,
    ]),
  )
  const query = { ...queryOf(request) } as Record<string, unknown>
  const foreign = method === 'GET' ? Object.keys(query).find((name) => name in path) : Object.keys(query)[0]
  if (foreign !== undefined)
    throw new GateError('invalid', `unknown query parameter ${foreign.slice(0, 100)}.`, {
      param: foreign.slice(0, 100),
    })
  for (const name of integers) {
    // Longer and broken numbers, too: a query has no other way to send one than as text.
    if (typeof query[name] === 'string' && /^-?\d{1,40}(\.\d{1,40})?$/.test(query[name]))
      query[name] = Number(query[name])
  }
  const hasBody =
    method === 'POST' && (request.body !== undefined || Object.keys(operation.input.shape).some(notIn(path)))
  return { ...query, ...(hasBody ? bodyOf(request, path) : {}), ...path }
}

const notIn = (path: object) => (name: string) => !(name in path)

function bodyOf(request: FastifyRequest, path: Record<string, unknown>): Record<string, unknown> {
  const { body } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new GateError('invalid', 'The body must be a JSON object.')
  }
  const foreign = Object.keys(body).find((name) => name in path)
  if (foreign !== undefined) throw new GateError('invalid', `unknown field ${foreign}.`, { param: foreign })
  return body as Record<string, unknown>
}

/** An id in a path. A value that cannot be an id is not found. */
function pathInteger(value: string): number {
  const id = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(id))
    throw new GateError('not_found', `Action ${value.slice(0, 40)} was not found.`, { param: 'id' })
  return id
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { CallContext, Operation } from '../operations/operation.ts'
import { hangUp } from '../web/hang-up.ts'
import { depsOf } from '../web/request-deps.ts'
import type { Authenticator } from './auth.ts'
import { answerResult, plainCall } from './mcp/call.ts'
import { isAnswer } from './mcp/client-questions.ts'
import { refuse } from './mcp/errors.ts'
import { legacyAnswers } from './mcp/legacy.ts'
import { modernAnswers, toolCallOf } from './mcp/modern.ts'
import { modernMessage } from './mcp/modern-message.ts'
import { toolTable } from './mcp/tool-table.ts'
import { refuseOtherMethods } from './rest.ts'

/** A path at which tools are served. */
export interface McpEndpoint {
  url: string
  /** Its callers bring the tokens of connected apps, and no other key. */
  isOfApps: boolean
  operations: Operation[]
  /** For a caller who was kept, before anything but what an operation that checks the key returned. */
  authenticate: Authenticator
}

/**
 * Serves the operations as tools: stateless Streamable HTTP, to clients of every revision of MCP. Answers are JSON;
 * only a call that reports progress to a client that asks for it is answered as a stream of events. The scope authenticates.
 */
export function mcpRoutes(
  app: FastifyInstance,
  deps: Deps,
  { operations, authenticate, url, isOfApps }: McpEndpoint,
): void {
  const tools = toolTable(operations, { groups: deps.config.TOOLS, authenticate })
  const answerLegacy = legacyAnswers(tools)
  const answerModern = modernAnswers(tools)
  const toolIn = (body: unknown) => tools.ofGate((body as Message | null)?.params?.name)

  /** Whether a message calls a tool that reports progress, from a client that asks for it and takes events. */
  function wantsProgress({ body, headers }: FastifyRequest): boolean {
    if ((body as Message | null)?.params?._meta?.progressToken === undefined) return false
    const reports = toolIn(body)?.tool.reportsProgress === true
    return reports && /\btext\/event-stream\b/i.test(headers.accept ?? '')
  }

  const config = {
    isOfApps,
    checksKey: true,
    judgesInexact: true,
    refusesNames: true,
    mayWriteTwice: ({ body }: FastifyRequest) => toolIn(body)?.tool.readOnly !== true,
  }
  app.post(url, { config }, async (request, reply) => {
    const plain = plainCall(request.body, request.headers['mcp-protocol-version'])
    const modern = plain ? undefined : modernMessage(request)
    const call = plain ?? (modern && 'method' in modern ? toolCallOf(modern) : undefined)
    const isStreamed = wantsProgress(request)
    const isDirect =
      call !== undefined && !isStreamed && !request.hasForbiddenName && tools.checksKey(call, request)
    const isAnswering = modern !== undefined && 'method' in modern && isAnswer(modern)
    if (request.caller!.isKept && (!isDirect || isAnswering)) await authenticate(request)
    if (request.hasForbiddenName) return refuse(reply, 400, ErrorCode.InvalidParams, forbiddenName)
    const asked = () => ({ context: contextOf(deps, request, reply), request, isStreamed })
    if (modern) return answerModern(modern, asked(), reply)
    const called = plain && !isStreamed ? await tools.call(plain, asked().context, request) : undefined
    return called === undefined ? answerLegacy(asked(), reply) : answerResult(reply, plain!.id, called.fields)
  })
  refuseOtherMethods(app, url, ['POST'], { isOfApps })
}

const forbiddenName =
  'The body has the name __proto__, or constructor with prototype, which no object of a request may have.'

/** A message that nobody has checked. */
interface Message {
  params?: { name?: unknown; _meta?: { progressToken?: unknown } | null } | null
}

const contextOf = (deps: Deps, request: FastifyRequest, reply: FastifyReply): CallContext => ({
  deps: depsOf(deps, request),
  ...request.caller!,
  source: 'mcp',
  hungUp: hangUp(reply),
})

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { CallContext, Operation } from '../operations/operation.ts'
import { maySee } from '../operations/key-powers.ts'
import { productVersion } from '../process/version.ts'
import { gateHeader } from '../upstreams/gate-header.ts'
import { hangUp } from '../web/hang-up.ts'
import { actionOf, note, noteError } from '../web/request-log.ts'
import { type AccountTools, accountTools, accountToolsWith } from './mcp/account-tools.ts'
import { type Authenticator, mustAuthenticate } from './auth.ts'
import { type ToolCall, answerPlainCall, plainCall } from './mcp/call.ts'
import { malformedWhy, protocolError, refuse, withErrorData } from './mcp/errors.ts'
import {
  type ToolFor,
  answerError,
  describeTool,
  isWrite,
  runTool,
  toolResultText,
} from './mcp/gate-tools.ts'
import { inexactBody } from './json-body.ts'
import { toolInput } from './mcp/input.ts'
import { instructionsFor } from './mcp/instructions.ts'
import { refuseOtherMethods } from './rest.ts'
import { depsOf } from '../web/request-deps.ts'

/**
 * Serves the operations as tools at /api/mcp: stateless Streamable HTTP. Answers are JSON; only a call that reports progress to
 * a client that asks for it is answered as a stream of events. The scope authenticates.
 * @param authenticate  for a caller who was kept, before anything but what an operation that checks the key returned
 */
export function mcpRoutes(
  app: FastifyInstance,
  deps: Deps,
  operations: Operation[],
  authenticate: Authenticator,
): void {
  const tools = operations
    .filter((operation) => deps.config.TOOLS.includes(operation.tool.group))
    .map((operation) => ({ operation, input: toolInput(operation) }))
  const described = tools.map((tool) => ({ operation: tool.operation, toolFor: describeTool(tool) }))
  const byName = new Map(tools.map((tool) => [tool.operation.name, tool]))
  /** The gate's tools that a key does not have: no description and no refusal names them. */
  const absentFor = (caller: Pick<CallContext, 'powers' | 'kinds'> | null): ReadonlySet<string> =>
    new Set(
      operations
        .filter(({ name, ...operation }) => !byName.has(name) || (caller && !maySee(caller, operation)))
        .map(({ name }) => name),
    )
  const toolIn = (body: unknown) => byName.get((body as Message | null)?.params?.name as string)

  /** Calls a tool of the gate or of the account. @returns the result as JSON; undefined where there is no tool with this name */
  async function callTool(
    { name, args }: ToolCall,
    context: CallContext,
    request: FastifyRequest,
  ): Promise<string | undefined> {
    const tool = byName.get(name)
    const source = tool ? undefined : sourceOf(name, request)
    if (!tool && !source) return undefined
    try {
      if (request.inexact) throw inexactBody(request.inexact, ['params', 'arguments'])
      if (tool) return toolResultText(await runTool(tool, args, context, request))
      const result = await callAccountTool(source!, { name, args }, context, request)
      return result && JSON.stringify(result)
    } catch (error) {
      if (mustAuthenticate(request.caller, error)) await authenticate(request)
      return JSON.stringify(answerError(tool ?? isWrite, error, { request, absent: absentFor(context) }))
    }
  }
  const serverFor = serversWith({ described, callTool, absentFor })

  /** Whether a message calls a tool that reports progress, from a client that asks for it and takes events. */
  function wantsProgress({ body, headers }: FastifyRequest): boolean {
    if ((body as Message | null)?.params?._meta?.progressToken === undefined) return false
    const reports = toolIn(body)?.operation.tool.reportsProgress === true
    return reports && /\btext\/event-stream\b/i.test(headers.accept ?? '')
  }

  const config = {
    checksKey: true,
    judgesInexact: true,
    mayWriteTwice: ({ body }: FastifyRequest) => toolIn(body)?.operation.tool.readOnly !== true,
  }
  app.post('/api/mcp', { config }, async (request, reply) => {
    const call = plainCall(request.body, request.headers['mcp-protocol-version'])
    const isStreamed = wantsProgress(request)
    const called = call && (byName.get(call.name)?.operation ?? sourceOf(call.name, request))
    const isDirect = called?.checksKey === true && !isStreamed
    if (request.caller!.isKept && !isDirect) await authenticate(request)
    if (call && !isStreamed) {
      const result = await callTool(call, contextOf(deps, request, reply), request)
      if (result !== undefined) return answerPlainCall(reply, call, result)
      if (request.caller!.isKept) await authenticate(request)
    }
    return serve({ deps, serverFor, isStreamed }, request, reply)
  })
  refuseOtherMethods(app, '/api/mcp', ['POST'])
}

interface Offered {
  described: { operation: Operation; toolFor: ToolFor }[]
  callTool(call: ToolCall, context: CallContext, request: FastifyRequest): Promise<string | undefined>
  absentFor(caller: Pick<CallContext, 'powers' | 'kinds'> | null): ReadonlySet<string>
}

/** Makes the server that answers one request. */
function serversWith({ described, callTool, absentFor }: Offered): Served['serverFor'] {
  // Compiling a validator takes longer than answering a request, so all requests share one.
  const jsonSchemaValidator = new AjvJsonSchemaValidator()
  const served = described.map(({ operation }) => operation)

  /** The tools of the list of a key. */
  async function listed(context: CallContext): Promise<Offered['described']> {
    const seen = described.filter(({ operation }) => maySee(context, operation))
    const isListed = await Promise.all(seen.map(async ({ operation: { tool } }) => tool.isListed?.(context)))
    return seen.filter((_tool, n) => isListed[n] !== false)
  }

  // The low-level server: tools are described once, and an unknown tool is a protocol error, as MCP requires.
  return (context, { request, isStreamed }) => {
    const server = new Server(
      { name: 'qualification-gate', version: productVersion },
      { capabilities: { tools: {} }, instructions: instructionsFor(context, served), jsonSchemaValidator },
    )
    // A key sees only the tools that it can call.
    server.setRequestHandler(ListToolsRequestSchema, async () => {
      const visible = await listed(context)
      const absent = absentFor(context)
      const ours = visible.map(({ toolFor }) => toolFor(context, absent))
      return { tools: isOfGate(request) ? ours : [...ours, ...(await accountTools(context))] }
    })
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      const { name, arguments: args = {} } = params
      const progress = isStreamed ? progressOf(extra) : undefined
      const result = await callTool({ name, args }, { ...context, progress }, request)
      if (result === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${name}`)
      return JSON.parse(result) as CallToolResult
    })
    return server
  }
}

/** A message before the SDK checks it. */
interface Message {
  params?: { name?: unknown; _meta?: { progressToken?: unknown } | null } | null
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Sends how far a call is to its caller. A caller who is gone ends the call by its signal. */
const progressOf =
  ({ _meta, sendNotification }: Extra): CallContext['progress'] =>
  ({ waitedMs, waitMs, message }) =>
    sendNotification({
      method: 'notifications/progress',
      params: {
        progressToken: _meta!.progressToken!,
        progress: Math.round(waitedMs) / 1_000,
        total: waitMs / 1_000,
        message,
      },
    }).catch(() => undefined)

interface Serving {
  /** Whose line in the log says which tool was called. */
  request: FastifyRequest
  /** Answered as a stream of events. */
  isStreamed: boolean
}

interface Served {
  deps: Deps
  serverFor(context: CallContext, serving: Serving): Server
  isStreamed: boolean
}

async function serve(
  { deps, serverFor, isStreamed }: Served,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { body } = request
  const malformed = malformedWhy(body, request.headers['mcp-protocol-version'])
  if (malformed) return refuse(reply, 400, ...malformed)
  if (request.inexact)
    return refuse(reply, 400, ErrorCode.InvalidParams, inexactBody(request.inexact).message)
  reply.hijack()
  const server = serverFor(contextOf(deps, request, reply), { request, isStreamed })
  const sdkTransport = new StreamableHTTPServerTransport({ enableJsonResponse: !isStreamed })
  const transport = withErrorData(sdkTransport, request)
  reply.raw.once('close', () => {
    void transport.close()
    void server.close()
  })
  try {
    reply.raw.setHeader('x-request-id', request.id)
    // A proxy that buffers would hold back what a stream tells.
    if (isStreamed) reply.raw.setHeader('x-accel-buffering', 'no')
    // Most answers are JSON, but the SDK refuses clients that do not also accept event streams.
    request.raw.headers.accept = 'application/json, text/event-stream'
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request.raw, reply.raw, body)
  } catch (error) {
    noteError(request, error)
    if (!reply.raw.headersSent) reply.raw.writeHead(500, { 'content-type': 'application/json' })
    reply.raw.end(JSON.stringify(protocolError(ErrorCode.InternalError, 'Internal error', request.id)))
  }
  return reply
}

const contextOf = (deps: Deps, request: FastifyRequest, reply: FastifyReply): CallContext => ({
  deps: depsOf(deps, request),
  ...request.caller!,
  source: 'mcp',
  hungUp: hangUp(reply),
})

/** Whether another gate asks, or this one: to them no server behind this gate is shown or called, so that nothing loops. */
const isOfGate = ({ headers }: FastifyRequest): boolean => headers[gateHeader] !== undefined

const sourceOf = (name: string, request: FastifyRequest) =>
  isOfGate(request) ? undefined : accountToolsWith(name)

/** Undefined where the account has no such tool. */
async function callAccountTool(
  source: AccountTools,
  { name, args }: ToolCall,
  context: CallContext,
  request: FastifyRequest,
): Promise<CallToolResult | undefined> {
  note(request, { tool: name })
  const called = await source.call(context, name, args)
  note(request, {
    action: called?.action ?? actionOf(source.checksKey ? undefined : called?.result.structuredContent),
  })
  return called?.result
}

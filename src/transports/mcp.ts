import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  McpError,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
  isInitializeRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { GateError, type PublishedCode } from '../errors.ts'
import type { CallContext, Operation } from '../operations/operation.ts'
import { parseInput } from '../operations/parse.ts'
import { maySee, runOperation } from '../operations/run-operation.ts'
import { limits } from '../limits.ts'
import { errorAnswer, internalErrorSentence } from '../web/answer-errors.ts'
import { jsonSchema } from './json-schema.ts'
import { refuseOtherMethods } from './rest.ts'

const instructions =
  'Check the capability of the member you act for, propose the action, show the member its blast_radius, and confirm ' +
  'with the same actor only after an explicit yes. A denied proposal is final: do not retry it. Amounts are in cents.'

/** Serves the operations as tools at /api/mcp: stateless Streamable HTTP with JSON answers. The scope authenticates. */
export function mcpRoutes(app: FastifyInstance, deps: Deps, operations: Operation[]): void {
  const tools = operations
    .filter((operation) => deps.config.TOOLS.includes(operation.tool.group))
    .map((operation) => ({ operation, input: toolInput(operation) }))
  const described = tools.map((tool) => ({ operation: tool.operation, tool: describeTool(tool) }))
  const byName = new Map(tools.map((tool) => [tool.operation.name, tool]))
  // Compiling a validator takes longer than answering a request, so all requests share one.
  const jsonSchemaValidator = new AjvJsonSchemaValidator()

  // The low-level server: tools are described once, and an unknown tool is a protocol error, as MCP requires.
  function serverFor(context: CallContext, { id, log }: FastifyRequest): Server {
    const server = new Server(
      { name: 'qualification-gate', version: '1.0.0' },
      { capabilities: { tools: {} }, instructions, jsonSchemaValidator },
    )
    // A key sees only the tools that it can call.
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: described.filter(({ operation }) => maySee(context, operation)).map(({ tool }) => tool),
    }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const tool = byName.get(params.name)
      if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${params.name}`)
      return callTool(tool, params.arguments ?? {}, context, { id, log })
    })
    return server
  }

  app.post('/api/mcp', (request, reply) => serve(deps, serverFor, request, reply))
  refuseOtherMethods(app, '/api/mcp', ['POST'])
}

async function serve(
  deps: Deps,
  serverFor: (context: CallContext, request: FastifyRequest) => Server,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { body } = request
  const malformed = malformedWhy(body, request.headers['mcp-protocol-version'])
  if (malformed) return refuse(reply, 400, ...malformed)
  reply.hijack()
  const hungUp = new AbortController()
  const context: CallContext = { deps, ...request.caller!, source: 'mcp', signal: hungUp.signal }
  const server = serverFor(context, request)
  const transport = withErrorData(new StreamableHTTPServerTransport({ enableJsonResponse: true }), request.id)
  reply.raw.once('close', () => {
    hungUp.abort()
    void transport.close()
    void server.close()
  })
  try {
    reply.raw.setHeader('x-request-id', request.id)
    // Answers are always JSON, but the SDK refuses clients that do not also accept event streams.
    request.raw.headers.accept = 'application/json, text/event-stream'
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request.raw, reply.raw, body)
  } catch (error) {
    request.log.error({ err: error }, 'MCP request failed')
    if (!reply.raw.headersSent) reply.raw.writeHead(500, { 'content-type': 'application/json' })
    reply.raw.end(JSON.stringify(protocolError(ErrorCode.InternalError, 'Internal error', request.id)))
  }
  return reply
}

/** The code and sentence for a message that the SDK would refuse, so that its error has the same `data` as every other. */
function malformedWhy(body: unknown, version: unknown): [code: number, message: string] | undefined {
  if (Array.isArray(body))
    return [ErrorCode.InvalidRequest, 'Batches are not supported. Send one message per request.']
  if (!JSONRPCMessageSchema.safeParse(body).success)
    return [ErrorCode.ParseError, 'Parse error: the body must be a single JSON-RPC message.']
  const isSupported = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))
  if (isSupported || isInitializeRequest(body)) return undefined
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ')
  return [
    badVersion,
    `Bad Request: Unsupported protocol version: ${String(version)} (supported versions: ${supported})`,
  ]
}

/** Answers a malformed message as a JSON-RPC error. */
export function refuse(reply: FastifyReply, status: number, code: number, message: string): FastifyReply {
  return reply.code(status).send(protocolError(code, message, reply.request.id))
}

const protocolError = (code: number, message: string, requestId: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, data: errorData(code, requestId) },
})

/** What programs read of a JSON-RPC error, by the names that REST uses. */
const errorData = (code: number, requestId: string) => ({
  code: codeOfProtocol[code] ?? 'malformed',
  request_id: requestId,
})

const codeOfProtocol: Record<number, PublishedCode> = {
  [ErrorCode.InternalError]: 'internal',
  [ErrorCode.InvalidParams]: 'invalid',
  [ErrorCode.MethodNotFound]: 'not_found',
}

/** The code that the SDK's own transport answers an unsupported protocol version with. */
const badVersion = -32_000

/** Adds `data` to the JSON-RPC errors that the SDK raises. */
function withErrorData(
  transport: StreamableHTTPServerTransport,
  requestId: string,
): StreamableHTTPServerTransport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!('error' in message)) return send(message, options)
    const data = errorData(message.error.code, requestId)
    return send({ ...message, error: { ...message.error, data } }, options)
  }
  return transport
}

interface ToolEntry {
  operation: Operation
  input: z.ZodObject
}

/** The arguments of a tool: the operation's input, plus the idempotency key that REST takes as a header. */
function toolInput(operation: Operation): z.ZodObject {
  if (!operation.isKeyed) return operation.input
  return operation.input.extend({
    // The format is validated together with the REST header.
    idempotency_key: z.string().optional().meta({
      description:
        'Makes retries safe: a repeated call with the same key and arguments returns the first answer.',
      minLength: 1,
      maxLength: limits.idempotencyKeyCharsMax,
    }),
  })
}

function describeTool({ operation, input }: ToolEntry): Tool {
  const { readOnly, destructive, idempotent, openWorld } = operation.tool
  return {
    name: operation.name,
    title: operation.title,
    description: operation.summary,
    inputSchema: jsonSchema(input) as Tool['inputSchema'],
    outputSchema: jsonSchema(operation.output) as Tool['outputSchema'],
    annotations: {
      title: operation.title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  }
}

async function callTool(
  { operation, input }: ToolEntry,
  given: unknown,
  context: CallContext,
  { id, log }: Pick<FastifyRequest, 'id' | 'log'>,
): Promise<CallToolResult> {
  try {
    const answer = await runOperation(operation, context, given, (unparsed) => {
      const { idempotency_key: key, ...request } = parseInput(input, unparsed) as Record<string, unknown>
      return { input: request, idempotencyKey: key as string | undefined }
    })
    return {
      structuredContent: answer.body as Record<string, unknown>,
      content: [{ type: 'text', text: JSON.stringify(answer.body) }],
    }
  } catch (error) {
    const known = error instanceof GateError ? error : undefined
    if (!known) log.error({ err: error, tool: operation.name }, 'internal error')
    const body = errorAnswer(known, id, internalErrorSentence(operation.tool.readOnly))
    // Text only: clients reject structured content of an error that is not in the form of the output.
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] }
  }
}

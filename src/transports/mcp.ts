import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import type { CallContext, Operation } from '../operations/operation.ts'
import { parseInput } from '../operations/parse.ts'
import { maySee, runOperation } from '../operations/run-operation.ts'
import { limits } from '../limits.ts'
import { actionOf, note, noteError } from '../web/request-log.ts'
import { internalErrorSentence } from '../web/answer-errors.ts'
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
  function serverFor(context: CallContext, request: FastifyRequest): Server {
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
      if (!tool) {
        note(request, { code: 'invalid' })
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${params.name}`)
      }
      return callTool(tool, params.arguments ?? {}, context, request)
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
  if (Array.isArray(body))
    return refuse(
      reply,
      400,
      ErrorCode.InvalidRequest,
      'Batches are not supported. Send one message per request.',
    )
  reply.hijack()
  const hungUp = new AbortController()
  const context: CallContext = { deps, ...request.caller!, source: 'mcp', signal: hungUp.signal }
  const server = serverFor(context, request)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
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
    noteError(request, error)
    if (!reply.raw.headersSent) reply.raw.writeHead(500, { 'content-type': 'application/json' })
    reply.raw.end(JSON.stringify(protocolError(ErrorCode.InternalError, 'Internal error')))
  }
  return reply
}

/** Answers a malformed message as a JSON-RPC error. */
export function refuse(reply: FastifyReply, status: number, code: number, message: string): FastifyReply {
  return reply.code(status).send(protocolError(code, message))
}

const protocolError = (code: number, message: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message },
})

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
  request: FastifyRequest,
): Promise<CallToolResult> {
  note(request, { tool: operation.name, action: actionOf(given) })
  try {
    const answer = await runOperation(operation, context, given, (unparsed) => {
      const { idempotency_key: key, ...request } = parseInput(input, unparsed) as Record<string, unknown>
      return { input: request, idempotencyKey: key as string | undefined }
    })
    note(request, { action: actionOf(given, answer.body) })
    return {
      structuredContent: answer.body as Record<string, unknown>,
      content: [{ type: 'text', text: JSON.stringify(answer.body) }],
    }
  } catch (error) {
    noteError(request, error)
    const sentence =
      error instanceof GateError ? error.message : internalErrorSentence(operation.tool.readOnly)
    return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error: sentence }) }] }
  }
}

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
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CallContext } from '../../operations/operation.ts'
import { noteError } from '../../web/request-log.ts'
import { inexactBody } from '../json-body.ts'
import { malformedWhy, protocolError, refuse, withErrorData } from './errors.ts'
import { progressOf } from './progress.ts'
import { type ToolTable, gateInfo } from './tool-table.ts'

/** A request, and who makes it. */
export interface Asked {
  context: CallContext
  request: FastifyRequest
  /** Answered as a stream of events. */
  isStreamed: boolean
}

type AnswerLegacy = (asked: Asked, reply: FastifyReply) => Promise<FastifyReply>

/** Answers a request of the revisions with `initialize`, by a server and a transport of the SDK for each. */
export function legacyAnswers(tools: ToolTable): AnswerLegacy {
  const serverFor = serversWith(tools)

  return async (asked, reply) => {
    const { request, isStreamed } = asked
    const { body } = request
    const malformed = malformedWhy(body, request.headers['mcp-protocol-version'])
    if (malformed) return refuse(reply, 400, ...malformed)
    if (request.inexact)
      return refuse(reply, 400, ErrorCode.InvalidParams, inexactBody(request.inexact).message)
    reply.hijack()
    const server = serverFor(asked)
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
}

/** Makes the server that answers one request. */
function serversWith(tools: ToolTable): (asked: Asked) => Server {
  // Compiling a validator takes longer than answering a request, so all requests share one.
  const jsonSchemaValidator = new AjvJsonSchemaValidator()

  // The low-level server: tools are described once, and an unknown tool is a protocol error, as MCP requires.
  return ({ context, request, isStreamed }) => {
    const server = new Server(gateInfo, {
      capabilities: { tools: {} },
      instructions: tools.instructionsFor(context),
      jsonSchemaValidator,
    })
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: await tools.list(context, request),
    }))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      const { name, arguments: args = {} } = params
      const progress = isStreamed ? progressTo(extra) : undefined
      const called = await tools.call({ name, args }, { ...context, progress }, request)
      if (called === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${name}`)
      return JSON.parse(`{${called.fields}}`) as CallToolResult
    })
    return server
  }
}

/** Sends how far a call is to its caller. A caller who is gone ends the call by its signal. */
const progressTo = ({
  _meta,
  sendNotification,
}: RequestHandlerExtra<ServerRequest, ServerNotification>): CallContext['progress'] =>
  progressOf(_meta!.progressToken!, (notification) => sendNotification(notification))

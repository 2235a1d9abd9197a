import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  ErrorCode,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  isInitializeRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { PublishedCode } from '../../errors.ts'
import { sendError, toGateError } from '../../web/answer-errors.ts'
import { note } from '../../web/request-log.ts'
import { isPlainId } from './call.ts'

/** The code and sentence for a message that the SDK would refuse, so that its error has the same `data` as every other. */
export function malformedWhy(body: unknown, version: unknown): [code: number, message: string] | undefined {
  if (Array.isArray(body))
    return [ErrorCode.InvalidRequest, 'Batches are not supported. Send one message per request.']
  if (!JSONRPCMessageSchema.safeParse(body).success) return wrongForm(body)
  const isSupported = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))
  if (isSupported || isInitializeRequest(body)) return undefined
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ')
  return [
    badVersion,
    `Bad Request: Unsupported protocol version: ${String(version)} (supported versions: ${supported})`,
  ]
}

/** What is wrong with JSON that is no message: all of it, or only its params. */
const wrongForm = (body: unknown): [code: number, message: string] =>
  Envelope.safeParse(body).success
    ? [
        ErrorCode.InvalidParams,
        'params must be an object, and params._meta too. Leave out what you do not need: null is not accepted.',
      ]
    : [ErrorCode.InvalidRequest, notAMessage]

const Envelope = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  id: z.union([z.string(), z.int()]).optional(),
})

/** What a body is that is JSON, but neither a request nor a notification. */
export const notAMessage = 'The body must be one JSON-RPC request or notification, and its params an object.'

/** The id of a message that nobody has checked; null where it has none that is text or a whole number. */
export function idOf(body: unknown): string | number | null {
  const id = (body as { id?: unknown } | null)?.id
  return isPlainId(id) ? id : null
}

/** Answers a malformed message as a JSON-RPC error, with the id of its request where it can be read. */
export function refuse(reply: FastifyReply, status: number, code: number, message: string): FastifyReply {
  const { id, body } = reply.request
  return reply.code(status).send({ ...protocolError(code, message, id), id: idOf(body) })
}

/** Answers an error that no tool returned. */
export const sendMcpError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  toGateError(error)?.code === 'malformed'
    ? refuse(reply, 400, ErrorCode.ParseError, 'Parse error: the body must be a single JSON-RPC message.')
    : sendError(error, request, reply)

/** The body of a JSON-RPC error that answers no message in particular. */
export const protocolError = (code: number, message: string, requestId: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, data: errorData(code, requestId) },
})

/** What programs read of a JSON-RPC error, by the names that REST uses. */
export const errorData = (code: number, requestId: string) => ({
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

/** Adds `data` to the JSON-RPC errors that the SDK raises, and says of params of another form what is wrong with them. */
export function withErrorData(
  transport: StreamableHTTPServerTransport,
  request: FastifyRequest,
): StreamableHTTPServerTransport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!('error' in message)) return send(message, options)
    const error = asTaskError(message.error.message) ?? asParamsError(message.error.message) ?? message.error
    const data = errorData(error.code, request.id)
    note(request, { code: data.code })
    return send({ ...message, error: { ...error, data } }, options)
  }
  return transport
}

/** The SDK calls it an internal error if a client asks for a task of a server that declares none. */
function asTaskError(message: string): { code: number; message: string } | undefined {
  if (!message.startsWith('Server does not support task creation')) return undefined
  return { code: ErrorCode.InvalidParams, message: 'params.task: there are no tasks here. Call without it.' }
}

/** The SDK calls params of another form an internal error, whose message is the JSON of what its schema found. */
function asParamsError(message: string): { code: number; message: string } | undefined {
  const issues = SchemaIssues.safeParse(message).data
  if (issues === undefined) return undefined
  const wrong = issues.map(({ path }) => path.join('.'))
  const isOfCall = wrong.every((path) => path === 'params.name' || path.startsWith('params.arguments'))
  return {
    code: ErrorCode.InvalidParams,
    message: isOfCall
      ? callForm
      : `Missing, or not in the form that MCP gives it: ${wrong.join(', ').slice(0, wrongCharsMax)}.`,
  }
}

const wrongCharsMax = 300

/** What the params of a call must be. */
export const callForm =
  'A call of a tool has its name in params.name, as text, and its arguments in params.arguments, as an object.'

const SchemaIssues = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue('not JSON')
      return z.NEVER
    }
  })
  .pipe(z.array(z.object({ path: z.array(z.unknown()) })))

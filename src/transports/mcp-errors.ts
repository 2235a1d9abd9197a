import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  ErrorCode,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  isInitializeRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply } from 'fastify'
import type { PublishedCode } from '../errors.ts'

/** The code and sentence for a message that the SDK would refuse, so that its error has the same `data` as every other. */
export function malformedWhy(body: unknown, version: unknown): [code: number, message: string] | undefined {
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

/** The body of a JSON-RPC error that answers no message in particular. */
export const protocolError = (code: number, message: string, requestId: string) => ({
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
export function withErrorData(
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

import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, GateError, type PublishedCode, httpStatusOf } from '../errors.ts'
import { limits } from '../limits.ts'
import { noteError } from './request-log.ts'

/** The sentence for an unexpected error. Whether a write was done is unknown here. */
export const internalErrorSentence = (isRead: boolean): string =>
  isRead
    ? 'Internal error. The log has details under this X-Request-Id.'
    : 'Internal error. The outcome of this request is unknown. Check the current state before you repeat it. The log has details under this X-Request-Id.'

export const isRead = ({ method }: Pick<FastifyRequest, 'method'>): boolean =>
  method === 'GET' || method === 'HEAD'

/** Errors that Fastify raises before a handler runs. */
const sentenceOfStatus: Record<number, [ErrorCode, string]> = {
  400: ['malformed', 'The request is malformed: the body must be valid JSON.'],
  414: ['malformed', 'The address is too long.'],
  415: ['unsupported_media', 'Send JSON: Content-Type: application/json.'],
}

/** Errors that its router raises. */
const sentenceOfRouter: Record<string, [ErrorCode, string]> = {
  FST_ERR_BAD_URL: ['malformed', 'The address is malformed: a % must begin an encoded byte of UTF-8.'],
}

/**
 * Turns a thrown error into one that may be shown; undefined for unexpected errors, whose details stay in the log.
 * @param bodyBytesMax  what the route takes
 */
export function toGateError(
  error: unknown,
  bodyBytesMax: number = limits.bodyBytesMax,
): GateError | undefined {
  if (error instanceof GateError) return error
  const { statusCode = 0, code = '' } = (error ?? {}) as { statusCode?: number; code?: string }
  if (statusCode === 413)
    return new GateError('too_large', `The body is larger than ${bodyBytesMax / 1_048_576} MiB.`)
  const known = sentenceOfRouter[code] ?? sentenceOfStatus[statusCode]
  return known && new GateError(...known)
}

/** The body of an error. */
export interface ErrorAnswer {
  error: string
  code: PublishedCode
  param?: string
  /** The same as the header x-request-id. */
  request_id: string
}

/**
 * The body of an error, over REST and MCP.
 * @param known  undefined for an unexpected error, whose details stay in the log
 * @source docs/rest.md#handle-an-error
 */
export function errorAnswer(
  known: GateError | undefined,
  requestId: string,
  internalSentence: string,
): ErrorAnswer {
  if (!known) return { error: internalSentence, code: 'internal', request_id: requestId }
  const { message, publishedCode, param } = known
  return {
    error: message,
    code: publishedCode,
    ...(param === undefined ? {} : { param }),
    request_id: requestId,
  }
}

/** Answers an error. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toGateError(error, request.routeOptions.bodyLimit)
  const body = errorAnswer(known, request.id, internalErrorSentence(isRead(request)))
  noteError(request, known ?? error)
  if (!known) {
    return reply.code(500).send(body)
  }
  if (known.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  return reply.code(httpStatusOf[known.code]).send(body)
}

/** Answers unreadable HTTP, before there is a request, in the same format as every other error. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const known = new GateError(...(unreadable[error.code ?? ''] ?? notHttp))
  const status = httpStatusOf[known.code]
  const requestId = randomUUID()
  const body = JSON.stringify(errorAnswer(known, requestId, ''))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

const notHttp: [ErrorCode, string] = ['malformed', 'This is not HTTP/1.1.']

const unreadable: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time. Nothing was changed.'],
}

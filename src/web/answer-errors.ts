import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, GateError, type PublishedCode, httpStatusOf } from '../errors.ts'
import { limits } from '../limits.ts'
import { ownTitle } from './error-title.ts'
import { type Page, html, pageHeaders, pageText, sendPage } from './html.ts'
import { prose } from './prose.ts'
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

/** Answers an error: a person with a page, programs with JSON. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toGateError(error, request.routeOptions.bodyLimit)
  const body = errorAnswer(known, request.id, internalErrorSentence(isRead(request)))
  noteError(request, known ?? error)
  const status = known ? httpStatusOf[known.code] : 500
  if (known?.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  if (known?.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  return isForPerson(request.raw.url ?? '', request.headers.accept)
    ? sendPage(reply, errorPage(status, known, body.error))
    : reply.code(status).send(body)
}

/** Whether a path belongs to programs alone: what is below needs a key. */
export const isBelowApi = (path: string): boolean => path.startsWith('/api/') || path.startsWith('/scim/')

/** Whether a person reads the answer: at the path of a page, or in a browser that opens any other path but those of programs. */
const isForPerson = (path: string, accept = ''): boolean =>
  !isBelowApi(path) && (pagePath.test(path) || accept.includes('text/html'))

/** The paths of pages. */
const pagePath = /^\/(?:console|decide|checkout|integrations\/connect|integrations\/slack\/callback)\b/

/** The page of an error that no page of its own has. */
const errorPage = (status: number, known: GateError | undefined, sentence: string): Page => ({
  status,
  title: (known && ownTitle(known)) ?? STATUS_CODES[status] ?? 'Request failed',
  body: html`<p class="problem" role="alert">
      ${prose(personsSentence[known?.code ?? 'internal'] ?? sentence)}
    </p>
    <p><a href="/console">Go to the console</a></p>`,
})

/** Sentences for persons where those of the API are about programs. */
const personsSentence: Partial<Record<ErrorCode, string>> = {
  not_found: 'This page was not found. Check that you copied the whole link.',
  method_not_allowed: 'This page cannot be used like that. Open the link again.',
  malformed: 'The address or the form could not be read. Check that you copied the whole link.',
  unsupported_media: 'Unsupported format. Use the form on the page.',
  headers_too_large:
    'Your browser sent more cookies than fit. Delete the cookies of this site, then open the link again.',
}

/** Answers unreadable HTTP, before there is a request, in the same format as every other error. */
export function answerUnreadable(
  error: Error & { code?: string; rawPacket?: unknown },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const known = new GateError(...(unreadable[error.code ?? ''] ?? notHttp))
  const status = httpStatusOf[known.code]
  const requestId = randomUUID()
  const answer = errorAnswer(known, requestId, '')
  const page = isOfPerson(error.rawPacket) ? errorPage(status, known, answer.error) : undefined
  const body = page ? pageText(page) : JSON.stringify(answer)
  const headers = page ? pageHeaders(page) : { 'content-type': 'application/json; charset=utf-8' }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Whether a person sent it, as far as the bytes tell that could not be read. */
function isOfPerson(packet: unknown): boolean {
  const text = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, limits.headersBytesMax) : ''
  const [, path] = /^(?:GET|HEAD|POST) (\S+) HTTP\/1/.exec(text) ?? []
  const [, accept] = /\r\naccept:([^\r\n]*)/i.exec(text) ?? []
  return path !== undefined && isForPerson(path, accept)
}

const notHttp: [ErrorCode, string] = ['malformed', 'This is not HTTP/1.1.']

const unreadable: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time. Nothing was changed.'],
}

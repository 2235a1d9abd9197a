import { type FastifyReply, type FastifyRequest } from 'fastify'
import { type ErrorCode, GateError, httpStatusOf } from '../errors.ts'

/** What Fastify itself refuses, before a handler runs. */
const sentenceOfStatus: Record<number, [ErrorCode, string]> = {
  400: ['malformed', 'The request is malformed: the body must be valid JSON.'],
  413: ['too_large', 'The body is larger than 1 MiB.'],
  414: ['malformed', 'The address is too long.'],
  415: ['unsupported_media', 'Send JSON: Content-Type: application/json.'],
}

/** Turns whatever was thrown into a refusal that may be shown. Internals stay in the log. */
export function toGateError(error: unknown): GateError | undefined {
  if (error instanceof GateError) return error
  const status = (error as { statusCode?: number } | undefined)?.statusCode
  const known = status === undefined ? undefined : sentenceOfStatus[status]
  return known && new GateError(...known)
}

/** Answers an error: `{ error }` and nothing else. @source product rulings §6 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toGateError(error)
  if (!known) {
    request.log.error({ err: error }, 'internal error')
    return reply.code(500).send({ error: 'Internal error. Nothing more is known here; the log has this X-Request-Id.' })
  }
  if (known.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  return reply.code(httpStatusOf[known.code]).send({ error: known.message })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestSpan, Tracing } from '../telemetry/traces/tracing.ts'
import { sentMethod } from './routing.ts'
import { answeredOf } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Its span, where traces are collected. */
    span: RequestSpan | null
  }
}

export function beginSpan(tracing: Tracing, request: FastifyRequest, next: () => void): void {
  request.span = tracing.request(request.headers)
  request.span.run(next)
}

/** After the body was read, whose events lose the context of the request. */
export function goOnInSpan({ span }: FastifyRequest, next: () => void): void {
  if (span) span.run(next)
  else next()
}

/** Names the span after the operation: a path may hold what a caller wrote. */
export function endSpan(request: FastifyRequest, reply: FastifyReply): void {
  if (!request.span) return
  const { operation, route = 'none', status, code } = answeredOf(request, reply)
  request.span.end({
    name: operation ?? `${sentMethod(request)} ${route}`,
    status,
    attributes: {
      'http.request.method': sentMethod(request),
      'http.route': route,
      'gate.request_id': request.id,
      'gate.code': code,
      'gate.account': request.caller?.account,
      'gate.action': request.noted?.action,
    },
  })
}

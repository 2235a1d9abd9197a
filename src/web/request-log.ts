import type { FastifyReply, FastifyRequest } from 'fastify'
import { GateError, type PublishedCode, httpStatusOf, statusOf } from '../errors.ts'
import { sentMethod } from './routing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the line of this request in the log will say beside method, route and status. */
    noted: RequestNotes | null
  }
  interface FastifyContextConfig {
    /** The operation behind a route. */
    tool?: string
    /** Whether something may fail after the request has written; absent: yes. See `asOneRequest`. */
    mayWriteTwice?: (request: FastifyRequest) => boolean
  }
}

export interface RequestNotes {
  /** The operation, named as the MCP tool. */
  tool?: string | undefined
  /** It is a tool of the account, whose name is the account's own. */
  isOfAccount?: boolean
  /** The id of the action that the request was about, or made. */
  action?: number | undefined
  code?: PublishedCode | undefined
  /** What an operator must act on. */
  err?: unknown
  /** Authenticated and within the limits: what is refused from here on is an ordinary refusal. */
  isAdmitted?: boolean
}

export function note(request: FastifyRequest, notes: RequestNotes): void {
  request.noted = { ...request.noted, ...notes }
}

/** Notes the code of an error that is answered. One that has a cause inside the service is for the operator, too. */
export function noteError(request: FastifyRequest, error: unknown): void {
  if (!(error instanceof GateError)) return note(request, { code: 'internal', err: error })
  const isOurs = httpStatusOf[error.code] >= 500 && error.cause !== undefined
  note(request, { code: error.publishedCode, ...(isOurs ? { err: error.cause } : {}) })
}

/** The id of the action that an operation took or returned. */
export function actionOf(...values: unknown[]): number | undefined {
  const ids = values.map((value) => (value as { id?: unknown } | null | undefined)?.id)
  return ids.find((id): id is number => Number.isSafeInteger(id))
}

/**
 * Writes the one line of a request, and counts it. No payload, no address and no secret is in it.
 * @source docs/operating.md#read-the-log
 */
export function logRequest(request: FastifyRequest, reply: FastifyReply, counting?: RequestCounting): void {
  counting?.request(answeredOf(request, reply))
  const { routeOptions, caller, consoleSession: visitor, noted } = request
  const { code, err } = noted ?? {}
  request.log[levelOf(request, reply)](
    {
      method: sentMethod(request),
      route: routeOptions.url ?? 'none',
      tool: noted?.tool ?? routeOptions.config?.tool,
      action: noted?.action,
      status: reply.statusCode,
      code,
      ms: Math.round(reply.elapsedTime),
      account: caller?.account ?? visitor?.account,
      key: caller?.keyId,
      session: visitor?.sessionId,
      trace: request.span?.traceId,
      err,
    },
    err === undefined ? 'request completed' : 'request failed',
  )
}

interface RequestCounting {
  request(answered: ReturnType<typeof answeredOf>): void
}

/** What is counted of a request: no name that an account gave. */
export const answeredOf = ({ routeOptions, noted }: FastifyRequest, reply: FastifyReply) => ({
  operation: noted?.isOfAccount ? 'account_tool' : (noted?.tool ?? routeOptions.config?.tool),
  route: routeOptions.url,
  code: noted?.code,
  status: reply.statusCode,
  seconds: reply.elapsedTime / 1_000,
})

function levelOf({ routeOptions, noted }: FastifyRequest, { statusCode }: FastifyReply) {
  const { code, err, isAdmitted = false } = noted ?? {}
  if (err !== undefined) return 'error'
  // Over MCP a refused call is answered with 200.
  const status = code === undefined ? statusCode : statusOf(code)
  if (status >= 500 || status === 401) return 'warn'
  if (!isAdmitted && (status === 403 || status === 429)) return 'warn'
  return isProbe(routeOptions.url) ? 'debug' : 'info'
}

const isProbe = (route: string | undefined): boolean => route === '/healthz' || route === '/readyz'

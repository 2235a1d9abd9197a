import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Caller, authenticate } from '../operations/authenticate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** Authenticates a request and keeps its key within its rate. Throws what is to be answered. */
export type Authenticator = (request: FastifyRequest) => Promise<Caller>

/** Needs `@fastify/rate-limit` to be registered. */
export function authenticator(app: FastifyInstance, deps: Deps): Authenticator {
  const perMinute = deps.config.RATE_LIMIT_PER_MINUTE
  const perKey = app.createRateLimit({
    max: perMinute,
    timeWindow: '1 minute',
    keyGenerator: (request) => request.caller!.keyId,
  })
  const perAddress = app.createRateLimit({
    max: limits.failedAuthenticationsPerMinute,
    timeWindow: '1 minute',
    keyGenerator: (request) => request.ip,
  })

  return async (request) => {
    try {
      request.caller = await authenticate(deps, request.headers.authorization)
    } catch (error) {
      if (!(error instanceof GateError) || error.code !== 'unauthenticated') throw error
      await spend(perAddress, request, 'Too many failed authentications from this address.')
      throw error
    }
    if (perMinute > 0)
      await spend(perKey, request, `This API key is limited to ${perMinute} requests a minute.`)
    return request.caller
  }
}

type Limit = ReturnType<FastifyInstance['createRateLimit']>

async function spend(limit: Limit, request: FastifyRequest, sentence: string): Promise<void> {
  const spent = await limit(request)
  if (spent.isAllowed || !spent.isExceeded) return
  throw new GateError('too_many', `${sentence} Try again in ${spent.ttlInSeconds} s.`, spent.ttlInSeconds)
}

import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'

/** Counts a request. @throws GateError `too_many` where it is one too many */
export type Spend = (request: FastifyRequest) => Promise<void>

/**
 * A limit of so many requests a minute, for each address: of IPv6 for each network of 64 bits, since that is what one
 * visitor has. Needs `@fastify/rate-limit`.
 * @param sentence  what is said of one too many, before when to try again
 * @param keyOf  by what to count instead
 */
export function perMinute(
  app: FastifyInstance,
  max: number,
  sentence: string,
  keyOf?: (request: FastifyRequest) => string,
): Spend {
  const limit = app.createRateLimit({
    max,
    timeWindow: '1 minute',
    ...(keyOf ? { keyGenerator: keyOf } : {}),
  })
  return async (request) => {
    const spent = await limit(request)
    if (spent.isAllowed || !spent.isExceeded) return
    throw new GateError('too_many', `${sentence} Try again in ${spent.ttlInSeconds} s.`, spent.ttlInSeconds)
  }
}

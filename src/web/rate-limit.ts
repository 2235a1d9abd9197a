import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'

/** Counts a request. @throws GateError `too_many` where it is one too many */
export type Spend = (request: FastifyRequest) => Promise<void>

export interface Limit {
  spend: Spend
  /** Counts nothing: by what the request would be counted, how many are left, and what one too many would be answered. */
  peek(request: FastifyRequest): Promise<{ countedBy: string; left: number; refusal: GateError }>
}

/**
 * A limit of so many requests a minute, for each address: of IPv6 for each network of 64 bits, since that is what one
 * visitor has. Needs `@fastify/rate-limit`.
 * @param sentence  what is said of one too many, before when to try again
 * @param keyOf  by what to count instead
 */
export function limitPerMinute(
  app: FastifyInstance,
  max: number,
  sentence: string,
  keyOf?: (request: FastifyRequest) => string,
): Limit {
  const limit = app.createRateLimit({
    max,
    timeWindow: '1 minute',
    ...(keyOf ? { keyGenerator: keyOf } : {}),
  })
  const refusal = (seconds: number) =>
    new GateError('too_many', `${sentence} Try again in ${seconds} s.`, seconds)
  return {
    async spend(request) {
      const spent = await limit(request)
      if (!spent.isAllowed && spent.isExceeded) throw refusal(spent.ttlInSeconds)
    },
    async peek(request) {
      const spent = await limit(request, { increment: false })
      const [left, seconds] = spent.isAllowed ? [max, 0] : [spent.remaining, spent.ttlInSeconds]
      return { countedBy: spent.key, left, refusal: refusal(Math.max(1, seconds)) }
    },
  }
}

/** The same where nobody asks before. */
export const perMinute = (...given: Parameters<typeof limitPerMinute>): Spend =>
  limitPerMinute(...given).spend

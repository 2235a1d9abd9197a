import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'

/** Counts a request. @throws GateError `too_many` above the limit */
export type Spend = (request: FastifyRequest) => Promise<void>

export interface Limit {
  spend: Spend
  /** Reads without counting: the key of the count, the requests left, and the error above the limit. */
  peek(request: FastifyRequest): Promise<{ countedBy: string; left: number; refusal: GateError }>
}

/**
 * Limits requests per minute and address; for IPv6 per /64 network. Needs `@fastify/rate-limit`.
 * @param sentence  the error above the limit, followed by when to try again
 * @param keyOf  counts by another key instead of the address
 */
export function limitPerMinute(
  app: FastifyInstance,
  max: number,
  sentence: string,
  keyOf?: (request: FastifyRequest) => string,
): Limit {
  return limitIn('1 minute', app, { max, sentence, keyOf })
}

function limitIn(
  timeWindow: string,
  app: FastifyInstance,
  {
    max,
    sentence,
    keyOf,
  }: { max: number; sentence: string; keyOf?: ((request: FastifyRequest) => string) | undefined },
): Limit {
  const limit = app.createRateLimit({
    max,
    timeWindow,
    ...(keyOf ? { keyGenerator: keyOf } : {}),
  })
  const refusal = (seconds: number) => tooMany(sentence, seconds)
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

/** The error above a limit. */
export const tooMany = (sentence: string, seconds: number): GateError =>
  new GateError('too_many', `${sentence} Try again in ${seconds} s.`, {
    detail: 'rate_limited',
    retryAfterSeconds: seconds,
  })

/** Limits requests per hour and address. */
export const perHour = (app: FastifyInstance, max: number, sentence: string): Spend =>
  limitIn('1 hour', app, { max, sentence }).spend

/** Limits them per minute, without `peek`. */
export const perMinute = (...given: Parameters<typeof limitPerMinute>): Spend =>
  limitPerMinute(...given).spend

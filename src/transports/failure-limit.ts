import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Caller } from '../operations/authenticate.ts'
import { limitPerMinute } from '../web/rate-limit.ts'

/** Keys that recently worked, which failed authentications from the same address do not affect. */
const goodKeysRememberedMax = 10_000

/**
 * Looks up the key of a request, unless its address failed too often. Throws the error to answer with.
 * @param hash  of the key; undefined where none of the right form was sent
 */
export type LimitedLookUp = (
  request: FastifyRequest,
  hash: Buffer | undefined,
  lookUp: () => Promise<Caller>,
) => Promise<Caller>

/**
 * Limits the database reads that failed authentications cause, because every guessed key costs one. A key that worked
 * before is always looked up. Any other key from an address that failed too often waits its turn: one at a time. So valid
 * keys keep working while somebody guesses from the same address, and guessing uses one connection at most.
 */
export function failureLimit(app: FastifyInstance): LimitedLookUp {
  const failures = limitPerMinute(
    app,
    limits.failedAuthenticationsPerMinute,
    'Too many failed authentications from this address.',
  )
  const good = new Set<string>()
  const underWay = new Map<string, Promise<Caller>>()
  /** How many of the pending look-ups belong to an address. */
  const ofAddress = new Map<string, number>()
  let isOneBeyond = false

  return async (request, hash, lookUp) => {
    const sent = hash?.toString('hex') ?? ''
    try {
      // Parallel requests with the same unknown key share one look-up.
      const same = good.has(sent) ? undefined : underWay.get(`${request.ip} ${sent}`)
      if (same) await same
      const caller = await (good.has(sent) ? lookUp() : first(request, sent, lookUp))
      remember(good, sent)
      return caller
    } catch (error) {
      if (!(error instanceof GateError) || error.code !== 'unauthenticated') throw error
      good.delete(sent)
      await failures.spend(request)
      throw error
    }
  }

  async function first(
    request: FastifyRequest,
    sent: string,
    lookUp: () => Promise<Caller>,
  ): Promise<Caller> {
    const asked = `${request.ip} ${sent}`
    const looked = limited(request, lookUp).then((caller) => {
      remember(good, sent)
      return caller
    })
    underWay.set(asked, looked)
    try {
      return await looked
    } finally {
      underWay.delete(asked)
    }
  }

  async function limited(request: FastifyRequest, lookUp: () => Promise<Caller>): Promise<Caller> {
    const { countedBy, left, refusal } = await failures.peek(request)
    const others = ofAddress.get(countedBy) ?? 0
    const isBeyond = others >= left
    if (isBeyond && isOneBeyond) throw refusal
    isOneBeyond ||= isBeyond
    ofAddress.set(countedBy, others + 1)
    try {
      return await lookUp()
    } finally {
      if (isBeyond) isOneBeyond = false
      const rest = ofAddress.get(countedBy)! - 1
      if (rest > 0) ofAddress.set(countedBy, rest)
      else ofAddress.delete(countedBy)
    }
  }
}

/** Forgets the least recently used key when the limit is reached. */
function remember(good: Set<string>, sent: string): void {
  good.delete(sent)
  good.add(sent)
  if (good.size > goodKeysRememberedMax) good.delete(good.values().next().value!)
}

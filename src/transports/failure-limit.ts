import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'
import { sha256 } from '../ledger/digest.ts'
import { limits } from '../limits.ts'
import type { Caller } from '../operations/authenticate.ts'
import { limitPerMinute } from '../web/rate-limit.ts'

/** Looks up what a request authenticates with, unless its address failed too often. Throws what is to be answered. */
export type LimitedLookUp = (request: FastifyRequest, lookUp: () => Promise<Caller>) => Promise<Caller>

/**
 * Limits what failures cost, not only how they are answered: an invented key has the form of a key, and each costs a read. A
 * key that was good before is always looked up; any other, from an address that failed too often, only while no other such
 * one is. So who holds a good key gets in beside somebody who guesses, and who guesses has one connection at most.
 */
export function failureLimit(app: FastifyInstance): LimitedLookUp {
  const failures = limitPerMinute(
    app,
    limits.failedAuthenticationsPerMinute,
    'Too many failed authentications from this address.',
  )
  const good = new Set<string>()
  const underWay = new Map<string, Promise<Caller>>()
  /** Of those, how many count for an address. */
  const ofAddress = new Map<string, number>()
  let isOneBeyond = false

  return async (request, lookUp) => {
    const sent = sha256(request.headers.authorization ?? '').toString('base64')
    try {
      // Of many requests at once with a key that is not known the first speaks for all, until it is known.
      const same = underWay.get(`${request.ip} ${sent}`)
      if (same && !good.has(sent)) await same
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

/** The one that was used longest ago makes room. */
function remember(good: Set<string>, sent: string): void {
  good.delete(sent)
  good.add(sent)
  if (good.size > limits.goodKeysRememberedMax) good.delete(good.values().next().value!)
}

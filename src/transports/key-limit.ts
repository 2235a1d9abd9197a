import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { type Spend, perMinute, tooMany } from '../web/rate-limit.ts'

/**
 * Limits the requests of each key: in this process alone, or in all API processes together where the account asks for it.
 * Requires `@fastify/rate-limit`.
 */
export function keyLimit(app: FastifyInstance, { config, keyShares }: Deps): Spend {
  const max = config.RATE_LIMIT_PER_MINUTE
  const sentence = `This API key is limited to ${max} requests per minute.`
  const spendAlone = perMinute(app, max, sentence, (request) => request.caller!.keyId)
  return async (request) => {
    if (max === 0) return
    const { keyLimits, account, keyId } = request.caller!
    const spent = keyLimits === 'shared' ? await keyShares.spend({ account, keyId }) : 'alone'
    if (spent === 'alone') await spendAlone(request)
    else if (spent !== 'counted') throw tooMany(sentence, Math.ceil(spent.usedUpMs / 1_000))
  }
}

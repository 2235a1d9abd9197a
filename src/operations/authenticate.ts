import { timingSafeEqual } from 'node:crypto'
import { authenticate as findHolder, touchKey } from '../db/queries/authenticate.ts'
import { type Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { hashKey, isKeyForm } from '../keys/api-key.ts'
import { type CallContext } from './operation.ts'

export type Caller = Pick<CallContext, 'account' | 'keyId' | 'actors'>

/**
 * Says which account a request speaks for. Nothing is cached: a revoked key fails at its next request.
 * @param authorization  the header as it came
 * @throws GateError `unauthenticated`, the same for a missing, malformed, unknown, expired or revoked key
 * @source interface specification §5; product rulings §6
 */
export async function authenticate(deps: Deps, authorization: string | undefined): Promise<Caller> {
  const key = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
  if (key === undefined || !isKeyForm(key)) throw refused()
  const hash = hashKey(key)
  const holder = await findHolder(deps.db, hash)
  if (!holder || !timingSafeEqual(holder.hash, hash) || !holder.is_valid) throw refused()
  if (holder.touch_due) {
    touchKey(deps.db, hash).catch((error: unknown) => deps.log.debug({ err: error }, 'last use not noted'))
  }
  return { account: holder.account_id, keyId: holder.key_id, actors: holder.actors }
}

function refused(): GateError {
  return new GateError('unauthenticated', 'Send a valid API key: Authorization: Bearer qgk_…')
}

import { timingSafeEqual } from 'node:crypto'
import { authenticate as readHolder, touchKey } from '../db/queries/accounts/authenticate.ts'
import { readFactsByKey } from '../db/queries/members/facts.ts'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { hashKey, isKeyForm } from '../keys/api-key.ts'
import { isWithinNetworks } from '../keys/within-network.ts'
import type { CallContext, Identity } from './operation.ts'

export type Caller = Pick<
  CallContext,
  'account' | 'keyId' | 'keyHash' | 'actors' | 'powers' | 'kinds' | 'ceilings' | 'known'
>

/**
 * Says which account a request speaks for. Nothing is cached: a revoked key fails at its next request.
 * @param authorization  the header as it came
 * @param address  where the request comes from
 * @param identity  the member the request names, where that is known already: their facts are read along
 * @throws GateError `unauthenticated`, the same for a missing, malformed, unknown, expired or revoked key, and for one whose
 * members are all inactive; `forbidden` from a network that the key is not for
 */
export async function authenticate(
  deps: Deps,
  authorization: string | undefined,
  address: string,
  identity?: Identity,
): Promise<Caller> {
  const hash = keyHashIn(authorization)
  if (!hash) throw refused()
  const { holder, facts } = await findHolder(deps, hash, identity)
  if (!holder || !timingSafeEqual(holder.hash, hash) || !holder.is_valid) throw refused()
  if (holder.networks && !isWithinNetworks(address, holder.networks)) {
    throw new GateError('forbidden', 'This API key may not be used from your network. Ask an administrator.')
  }
  if (holder.touch_due) {
    touchKey(deps.db, hash).catch((error: unknown) => deps.log.debug({ err: error }, 'last use not noted'))
  }
  const known = identity && facts ? { identity, facts } : undefined
  return {
    account: holder.account_id,
    keyId: holder.key_id,
    keyHash: hash,
    actors: holder.actors,
    powers: holder.powers,
    kinds: holder.kinds,
    ceilings: holder.ceilings,
    known,
  }
}

/** The hash of the API key that a header carries; undefined where it carries none of the right form. */
export function keyHashIn(authorization: string | undefined): Buffer | undefined {
  const key = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
  return key !== undefined && isKeyForm(key) ? hashKey(key) : undefined
}

// A request that names its member before its body comes needs one read instead of two.
async function findHolder(deps: Deps, hash: Buffer, identity: Identity | undefined) {
  if (!identity) return { holder: await readHolder(deps.db, hash), facts: undefined }
  const found = await readFactsByKey(deps.db, hash, identity)
  return { holder: found?.holder, facts: found?.facts }
}

function refused(): GateError {
  return new GateError('unauthenticated', 'Send a valid API key: Authorization: Bearer qgk_…')
}

import { timingSafeEqual } from 'node:crypto'
import {
  type KeyHolder,
  holdsKey,
  authenticate as readHolder,
  touchKey,
} from '../db/queries/accounts/authenticate.ts'
import { memberOfKey, readFactsByKey } from '../db/queries/members/facts.ts'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { hashKey, isKeyForm } from '../keys/api-key.ts'
import type { KeyLimits } from '../keys/rights.ts'
import { isWithinNetworks } from '../network/cidr.ts'
import type { CallContext, Identity } from './operation.ts'

export type Caller = Pick<
  CallContext,
  | 'account'
  | 'keyId'
  | 'keyHash'
  | 'actors'
  | 'powers'
  | 'kinds'
  | 'ceilings'
  | 'upstreamsVersion'
  | 'kindsVersion'
  | 'known'
  | 'isKept'
> & {
  keyLimits: KeyLimits
  /** Its key is the access token of a connected app. */
  isOfApp: boolean
}

/**
 * Authenticates a request from the database, so a revoked key fails at its next request.
 * @param hash  of the key that was sent: see `keyHashIn`
 * @param address  the client's address
 * @param identity  the member the request names, if already known, or the member of the key: their facts are read in the
 * same statement
 * @throws GateError `unauthenticated`, the same for a missing, malformed, unknown, expired or revoked key, and for a key
 * whose members are all inactive; `forbidden` from a network that the key does not allow
 * @source docs/rest.md#authenticate
 */
export async function authenticate(
  deps: Deps,
  hash: Buffer | undefined,
  address: string,
  identity?: Identity | typeof memberOfKey,
): Promise<Caller> {
  if (!hash) throw refusedKey()
  const { holder, facts } = await findHolder(deps, hash, identity)
  if (!holder || !timingSafeEqual(holder.hash, hash) || !holder.is_valid) {
    deps.kept.dropKey(hash)
    throw refusedKey()
  }
  requireNetwork(holder, address)
  if (holder.touch_due) {
    touchKey(deps.db, hash).catch((error: unknown) =>
      deps.log.debug({ err: error }, 'last use of a key could not be recorded'),
    )
  }
  if (identity !== memberOfKey) deps.kept.keys.keep(holder, hash)
  else if (facts) deps.kept.runners.keep({ holder, facts }, hash)
  const known =
    identity && facts ? { identity: identity === memberOfKey ? null : identity, facts } : undefined
  return {
    ...callerOf(holder, hash),
    upstreamsVersion: holder.upstreams_version,
    kindsVersion: holder.kinds_version,
    known,
  }
}

const callerOf = (holder: KeyHolder, keyHash: Buffer): Caller => ({
  account: holder.account_id,
  keyId: holder.key_id,
  keyHash,
  actors: holder.actors,
  powers: holder.powers,
  kinds: holder.kinds,
  ceilings: holder.ceilings,
  keyLimits: holder.key_limits,
  isOfApp: holder.is_of_app,
})

/**
 * The caller of a verb that checks the key itself, if the key was authenticated in the last minute. The transport must
 * authenticate before it answers anything that such a verb did not return.
 */
export function keptCaller(
  deps: Pick<Deps, 'kept'>,
  hash: Buffer | undefined,
  address: string,
): Caller | undefined {
  const holder = hash && deps.kept.keys.get(hash)
  // A rotation adds a key to those that share its daily limits. All else of a key stays as it was made, but for the account's rule
  // for rate limits, which counts from the next minute on.
  if (!holder || holder.ceilings || !isFromNetwork(holder, address)) return undefined
  return { ...callerOf(holder, hash), isKept: true }
}

/**
 * Reads whether the key of a caller who was kept is still valid. A verb that checks the key calls it before everything that it
 * answers or does without a statement that checked the key: repeats of an answer, entries about refusals, calls of a provider.
 * Errors need it only where something was done before: the transport authenticates before it answers them.
 * @throws GateError `unauthenticated`
 */
export async function requireKeyNow({ deps, account, keyHash, isKept }: CallContext): Promise<void> {
  if (isKept && !(await holdsKey(deps.db, account, keyHash))) throw refusedKey()
}

/**
 * The caller of a tool call. Its key and the facts of its member may be those of a minute ago: only for requests whose answer
 * is recorded by a statement that checks key, member and policy again, and refuses what has changed. As with `keptCaller`, the
 * transport must authenticate before it answers anything else.
 * @throws GateError as `authenticate`
 */
export async function authenticateRunner(
  deps: Deps,
  hash: Buffer | undefined,
  address: string,
): Promise<Caller> {
  const kept = hash && deps.kept.runners.get(hash)
  if (!kept || !isFromNetwork(kept.holder, address)) return authenticate(deps, hash, address, memberOfKey)
  const { holder, facts } = kept
  return { ...callerOf(holder, hash), known: { identity: null, facts }, isKept: true }
}

function requireNetwork(holder: Pick<KeyHolder, 'networks'>, address: string): void {
  if (isFromNetwork(holder, address)) return
  throw new GateError('forbidden', 'This API key cannot be used from your network. Ask an administrator.', {
    detail: 'key_network_not_allowed',
  })
}

const isFromNetwork = ({ networks }: Pick<KeyHolder, 'networks'>, address: string): boolean =>
  !networks || isWithinNetworks(address, networks)

/**
 * The hash of the API key in `Authorization`, or in `X-API-Key` for clients that cannot send that; undefined if there is none of the
 * right form, or they differ.
 */
export function keyHashIn(headers: {
  authorization?: string | undefined
  'x-api-key'?: string | string[] | undefined
}): Buffer | undefined {
  const { authorization, 'x-api-key': alone } = headers
  const bearer = authorization === undefined ? alone : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]
  const key = alone === undefined || alone === bearer ? bearer : undefined
  return typeof key === 'string' && isKeyForm(key) ? hashKey(key) : undefined
}

// If the request names its member before its body arrives, one read is enough.
async function findHolder(deps: Deps, hash: Buffer, identity: Identity | typeof memberOfKey | undefined) {
  if (!identity) return { holder: await readHolder(deps.db, hash), facts: undefined }
  const found = await readFactsByKey(deps.db, hash, identity)
  return { holder: found?.holder, facts: found?.facts }
}

/** The refusal of a key that is missing or not valid. */
export function refusedKey(): GateError {
  return new GateError(
    'unauthenticated',
    'The API key is missing or not valid. Send it in the header Authorization: Bearer qgk_…',
  )
}

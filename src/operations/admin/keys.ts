import { type KeyRow, listKeys, revokeKey as revoke, storeKey } from '../../db/queries/keys.ts'
import { GateError } from '../../errors.ts'
import { hashKey, mintKey as mint, randomBase62 } from '../../keys/api-key.ts'
import { type AccountContext, type AdminContext, eventsOf } from './context.ts'
import { type MemberName } from './fields.ts'
import { requireAccount, requireMemberIds } from './found.ts'

export type { KeyRow }

/**
 * Makes an API key. Only its hash is kept: the answer is the only place where the key is.
 * @param given.actors  the members it is bound to; none: any of the account
 * @throws GateError `invalid` where it would have expired already, `not_found` where one of the members is nobody
 */
export async function mintKey(
  context: AdminContext,
  given: { name: string; expiresAt: Date | null; actors: MemberName[] },
): Promise<{ keyId: string; apiKey: string }> {
  const { db, account } = context
  const { name, expiresAt } = given
  const actors = given.actors.length === 0 ? null : await requireMemberIds(db, account, given.actors)
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new GateError('invalid', 'A key that has expired already is of no use: give a later time.')
  }
  const apiKey = mint()
  const keyId = `key_${randomBase62(16)}`
  await storeKey(db, {
    account,
    keyId,
    name,
    last4: apiKey.slice(-4),
    hash: hashKey(apiKey),
    actors,
    expiresAt,
    event: eventsOf(context).keyMinted(keyId, actors, expiresAt),
  })
  return { keyId, apiKey }
}

/** Every key, oldest first, without its secret. @throws GateError `not_found` where there is no such account */
export async function readKeys({ db, account }: AccountContext): Promise<KeyRow[]> {
  await requireAccount(db, account)
  return listKeys(db, account)
}

/** One of them. @throws GateError `not_found` */
export async function readKey({ db, account }: AccountContext, keyId: string): Promise<KeyRow> {
  const key = (await listKeys(db, account)).find(({ key_id }) => key_id === keyId)
  if (!key) throw noKey(keyId)
  return key
}

/** Revokes a key, from its next request on; a revoked one stays as it is. @throws GateError `not_found` */
export async function revokeKey(context: AdminContext, keyId: string): Promise<KeyRow> {
  const { db, account } = context
  const isFound = await revoke(db, { account, keyId, event: eventsOf(context).keyRevoked(keyId) })
  if (!isFound) throw noKey(keyId)
  return readKey(context, keyId)
}

const noKey = (keyId: string) => new GateError('not_found', `This account has no key ${keyId}.`)

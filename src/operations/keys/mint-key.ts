import { storeKey } from '../../db/queries/accounts/keys.ts'
import { GateError } from '../../errors.ts'
import { isAdminPower } from '../../keys/admin-powers.ts'
import { type KeyRights, allRights } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import type { MemberName } from '../entered-fields.ts'
import { requireMemberIds } from '../members/require-member.ts'
import { type SecretsKeys, type MintedKey, ifLost, newKey } from './new-key.ts'

/**
 * Makes an API key. Only its hash is kept, and of a runner key what it signs with: the answer is the only place where the key is.
 * @param given.actors  the members it is bound to; none: any of the account
 * @param given.rights  what it is limited to; absent: nothing
 * @param given.secretsKeys  encrypts what a runner key signs with; absent: the service has no SECRETS_KEYS
 * @throws GateError `invalid` where it would have expired already, `not_found` where one of the members is nobody,
 * OutcomeUnknown where the answer was lost
 */
export async function mintKey(
  context: AdminContext,
  given: {
    name: string
    expiresAt: Date | null
    actors: MemberName[]
    rights?: Partial<Omit<KeyRights, 'actors'>>
    secretsKeys?: SecretsKeys
  },
): Promise<MintedKey> {
  const { db, account } = context
  const { name, expiresAt } = given
  const actors = given.actors.length === 0 ? null : await requireMemberIds(db, account, given.actors)
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new GateError('invalid', 'The expiry of a key must be in the future.', { param: 'expires' })
  }
  const rights = withAdminCalls({ ...allRights, ...given.rights, actors })
  const { keyId, apiKey, stored } = await newKey(account, rights, given.secretsKeys)
  const key = { ...writeOf(context), ...stored, ...rights, name, expiresAt }
  const networks = await storeKey(db, key).catch(ifLost(`key ${keyId}`, mintAnother))
  return { keyId, apiKey, rights: { ...rights, networks } }
}

/** A key that administrates has a daily limit, and is about the account. @throws GateError `invalid` */
function withAdminCalls(rights: KeyRights): KeyRights {
  const { adminCallsPerDay = null, actors } = rights
  if (!rights.powers.some(isAdminPower)) {
    if (adminCallsPerDay === null) return rights
    throw new GateError('invalid', 'Only a key that administrates has a limit of administration calls.', {
      param: 'admin_calls_per_day',
    })
  }
  if (actors !== null)
    throw new GateError('invalid', 'A key that administrates cannot be bound to members.', {
      param: 'members',
    })
  return { ...rights, adminCallsPerDay: adminCallsPerDay ?? limits.adminCallsPerDayDefault }
}

// A key is shown once: if the answer is lost, the key is useless.
const mintAnother = 'List the keys of the account: if this key is there, revoke it. Then mint another key.'

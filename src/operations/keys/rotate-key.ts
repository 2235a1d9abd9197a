import { type KeyRow, rotateKey as rotate } from '../../db/queries/accounts/keys.ts'
import { GateError } from '../../errors.ts'
import type { KeyRights } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { readKey, noKey } from './read-key.ts'
import { type SecretsKeys, type MintedKey, ifLost, newKey } from './new-key.ts'

/**
 * Replaces a key with a new one of the same rights. The old key expires after `overlapHours` at the latest.
 * @param given.secretsKeys  as for `mintKey`
 * @throws GateError `not_found`, and `conflict` where the key is revoked or expired, or was rotated before
 */
export async function rotateKey(
  context: AdminContext,
  keyId: string,
  {
    overlapHours = limits.keyOverlapHoursDefault,
    secretsKeys,
  }: {
    overlapHours?: number | undefined
    secretsKeys?: SecretsKeys
  } = {},
): Promise<MintedKey & { former: { keyId: string; expiresAt: Date } }> {
  // Read before minting: a later error would lose the only copy of the new key.
  const rights = rightsOf(await readKey(context, keyId))
  const made = await newKey(context.account, rights, secretsKeys)
  const rotation = {
    ...writeOf(context),
    ...made.stored,
    former: keyId,
    overlapMs: overlapHours * msPerHour,
  }
  const { outcome, expiresAt } = await rotate(context.db, rotation).catch(
    ifLost(`key ${made.keyId}`, rotateAgain(keyId)),
  )
  if (outcome === 'missing') throw noKey(keyId)
  if (outcome === 'over')
    throw new GateError('conflict', `Key ${keyId} is revoked or expired. Mint a new key instead.`)
  if (outcome === 'twice')
    throw new GateError('conflict', `Key ${keyId} was already rotated. Rotate the key that replaced it.`)
  return { keyId: made.keyId, apiKey: made.apiKey, rights, former: { keyId, expiresAt: expiresAt! } }
}

const rotateAgain = (former: string) =>
  `List the keys of the account: if this key is there, rotate it, otherwise rotate ${former} again.`

/** The rights of a stored key. */
export const rightsOf = (key: KeyRow): KeyRights => ({
  powers: key.powers,
  actors: key.actors,
  kinds: key.kinds,
  networks: key.networks,
  actionsPerDay: key.actions_per_day,
  centsPerDay: key.cents_per_day,
  adminCallsPerDay: key.admin_calls_per_day,
})

const msPerHour = 3_600_000

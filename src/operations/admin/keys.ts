import {
  type KeyRow,
  listKeys,
  revokeKey as revoke,
  rotateKey as rotate,
  storeKey,
} from '../../db/queries/accounts/keys.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { hashKey, mintKey as mint, randomBase62 } from '../../keys/api-key.ts'
import { type KeyRights, allRights, runnerPower } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from './context.ts'
import type { MemberName } from './fields.ts'
import { requireAccount } from '../require-account.ts'
import { requireMemberIds } from './require-entity.ts'
import { storedSigning } from '../runner/runner-signing.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'

export type { KeyRow }
export { rightsSentence } from '../../keys/rights.ts'

/** Encrypts what a runner key signs with; undefined: the service has no SECRETS_KEYS. */
export type SecretsKeys = KeyProvider | undefined

/** A new key and its rights. */
export interface MintedKey {
  keyId: string
  apiKey: string
  rights: KeyRights
}

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
  const rights = { ...allRights, ...given.rights, actors }
  const { keyId, apiKey, stored } = await newKey(account, rights, given.secretsKeys)
  const key = { ...writeOf(context), ...stored, ...rights, name, expiresAt }
  const networks = await storeKey(db, key).catch(ifLost(`key ${keyId}`, mintAnother))
  return { keyId, apiKey, rights: { ...rights, networks } }
}

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

// A key is shown once: if the answer is lost, the key is useless.
const mintAnother = 'List the keys of the account: if this key is there, revoke it. Then mint another key.'
const rotateAgain = (former: string) =>
  `List the keys of the account: if this key is there, rotate it, otherwise rotate ${former} again.`

/** If the answer of a mint or rotation was lost: how to find out what happened. */
const ifLost = (what: string, advice: string) => (error: unknown) => {
  throw error instanceof OutcomeUnknown ? new OutcomeUnknown(what, advice) : error
}

/** The rights of a stored key. */
export const rightsOf = (key: KeyRow): KeyRights => ({
  powers: key.powers,
  actors: key.actors,
  kinds: key.kinds,
  networks: key.networks,
  actionsPerDay: key.actions_per_day,
  centsPerDay: key.cents_per_day,
})

/** Every key, oldest first, without its secret. @throws GateError `not_found` */
export async function readKeys({ db, account }: AccountContext): Promise<KeyRow[]> {
  await requireAccount(db, account)
  return listKeys(db, account)
}

/** One key. @throws GateError `not_found` */
export async function readKey({ db, account }: AccountContext, keyId: string): Promise<KeyRow> {
  const key = (await listKeys(db, account)).find(({ key_id }) => key_id === keyId)
  if (!key) throw noKey(keyId)
  return key
}

/** Revokes a key: its next request is refused. A revoked key stays unchanged. @throws GateError `not_found` */
export async function revokeKey(context: AdminContext, keyId: string): Promise<KeyRow> {
  const isFound = await revoke(context.db, { ...writeOf(context), keyId })
  if (!isFound) throw noKey(keyId)
  return readKey(context, keyId)
}

async function newKey(account: string, { powers }: KeyRights, secretsKeys: SecretsKeys) {
  const apiKey = mint()
  const keyId = `key_${randomBase62(16)}`
  const signing = powers.includes(runnerPower)
    ? await storedSigning(secretsKeys, { account, keyId, apiKey })
    : null
  return { keyId, apiKey, stored: { keyId, last4: apiKey.slice(-4), hash: hashKey(apiKey), signing } }
}

const noKey = (keyId: string) => new GateError('not_found', `Key ${keyId} was not found in this account.`)
const msPerHour = 3_600_000

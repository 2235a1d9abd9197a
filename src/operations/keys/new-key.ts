import { OutcomeUnknown } from '../../errors.ts'
import { hashKey, mintKey as mint, randomBase62 } from '../../keys/api-key.ts'
import { type KeyRights, runnerPower } from '../../keys/rights.ts'
import { storedSigning } from './runner-signing.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'

/** Encrypts what a runner key signs with; undefined: the service has no SECRETS_KEYS. */
export type SecretsKeys = KeyProvider | undefined

/** A new key and its rights. */
export interface MintedKey {
  keyId: string
  apiKey: string
  rights: KeyRights
}

/** If the answer of a mint or rotation was lost: how to find out what happened. */
export const ifLost = (what: string, advice: string) => (error: unknown) => {
  throw error instanceof OutcomeUnknown ? new OutcomeUnknown(what, advice) : error
}

export async function newKey(account: string, { powers }: KeyRights, secretsKeys: SecretsKeys) {
  const apiKey = mint()
  const keyId = `key_${randomBase62(16)}`
  const signing = powers.includes(runnerPower)
    ? await storedSigning(secretsKeys, { account, keyId, apiKey })
    : null
  return { keyId, apiKey, stored: { keyId, last4: apiKey.slice(-4), hash: hashKey(apiKey), signing } }
}

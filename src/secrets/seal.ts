import { randomBytes } from 'node:crypto'
import { decrypt, encrypt, keyBytes } from './gcm.ts'
import type { KeyProvider, WrappedKey } from './key-provider.ts'

/** What a secret is bound to: it cannot be decrypted for anything else. */
export interface SecretPlace {
  account: string
  integration: string
  field: string
}

/** The account of secrets that are the service's own: no account has this name. */
export const serviceWide = 'service'

/** A stored, encrypted secret. */
export interface SealedSecret extends WrappedKey {
  ciphertext: Buffer
}

/** Encrypts a secret under its own data key, bound to its account, integration and field. */
export async function seal(keys: KeyProvider, place: SecretPlace, secret: string): Promise<SealedSecret> {
  const dataKey = randomBytes(keyBytes)
  try {
    const ciphertext = encrypt(dataKey, Buffer.from(secret, 'utf8'), aboutSecret(place))
    return { ciphertext, ...(await keys.wrap(dataKey, place.account)) }
  } finally {
    dataKey.fill(0)
  }
}

/** @throws Error if it was changed, belongs elsewhere, or its key is unknown */
export async function open(keys: KeyProvider, place: SecretPlace, sealed: SealedSecret): Promise<string> {
  const dataKey = await keys.unwrap(sealed, place.account)
  try {
    return decrypt(dataKey, sealed.ciphertext, aboutSecret(place)).toString('utf8')
  } finally {
    dataKey.fill(0)
  }
}

/** Wraps the data key of a secret under the current key. The ciphertext does not change. */
export async function rewrap(keys: KeyProvider, account: string, wrapped: WrappedKey): Promise<WrappedKey> {
  const dataKey = await keys.unwrap(wrapped, account)
  try {
    return await keys.wrap(dataKey, account)
  } finally {
    dataKey.fill(0)
  }
}

const aboutSecret = ({ account, integration, field }: SecretPlace) => `v1|${account}|${integration}|${field}`

import { randomBytes } from 'node:crypto'
import { decrypt, encrypt, keyBytes } from './gcm.ts'
import type { KeyProvider, WrappedKey } from './key-provider.ts'

/** Where a secret belongs: it opens nowhere else. */
export interface SecretPlace {
  account: string
  integration: string
  field: string
}

/** A secret as it is stored. */
export interface SealedSecret extends WrappedKey {
  ciphertext: Buffer
}

/** Encrypts one secret under a data key of its own, bound to its account, integration and field. */
export async function seal(keys: KeyProvider, place: SecretPlace, secret: string): Promise<SealedSecret> {
  const dataKey = randomBytes(keyBytes)
  try {
    const ciphertext = encrypt(dataKey, Buffer.from(secret, 'utf8'), aboutSecret(place))
    return { ciphertext, ...(await keys.wrap(dataKey, place.account)) }
  } finally {
    dataKey.fill(0)
  }
}

/** @throws Error where it was changed, belongs elsewhere, or its key is not known */
export async function open(keys: KeyProvider, place: SecretPlace, sealed: SealedSecret): Promise<string> {
  const dataKey = await keys.unwrap(sealed, place.account)
  try {
    return decrypt(dataKey, sealed.ciphertext, aboutSecret(place)).toString('utf8')
  } finally {
    dataKey.fill(0)
  }
}

/** Wraps the data key of a secret under the key that writes now. The ciphertext stays as it is. */
export async function rewrap(keys: KeyProvider, account: string, wrapped: WrappedKey): Promise<WrappedKey> {
  const dataKey = await keys.unwrap(wrapped, account)
  try {
    return await keys.wrap(dataKey, account)
  } finally {
    dataKey.fill(0)
  }
}

const aboutSecret = ({ account, integration, field }: SecretPlace) => `v1|${account}|${integration}|${field}`

import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { NewReceiptKey, ReceiptKeyRow } from '../db/queries/receipts/receipt-keys.ts'
import { sha256 } from '../ledger/digest.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { type SecretPlace, open, seal, serviceWide } from '../secrets/seal.ts'

/** A public key as it is published. */
export interface PublicJwk {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  use: 'sig'
  alg: 'EdDSA'
}

/** A key of which the private part was decrypted. */
export interface SigningKey {
  kid: string
  privateKey: KeyObject
  jwk: PublicJwk
}

const placeOf = (kid: string): SecretPlace => ({
  account: serviceWide,
  integration: kid,
  field: 'receipt_key',
})

/** A new key with its private part encrypted. Its name does not begin like an option: people give it to the command line. */
export async function newSigningKey(keys: KeyProvider): Promise<NewReceiptKey> {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const kid = thumbprint(x!)
  if (kid.startsWith('-')) return newSigningKey(keys)
  return { kid, publicKey: Buffer.from(x!, 'base64url'), sealed: await seal(keys, placeOf(kid), d!) }
}

/**
 * Decrypts the private part.
 * @throws Error where the ring has no key for it, or the row is not what this service stored: anyone who can write to the
 *   database must not be able to publish a key of their own
 */
export async function openSigningKey(keys: KeyProvider, row: ReceiptKeyRow): Promise<SigningKey> {
  const { kid, ciphertext, wrapped_key: wrappedKey, secrets_kid: secretsKid } = row
  const d = await open(keys, placeOf(kid), { ciphertext, wrappedKey, kid: secretsKid })
  const stored = row.public_key.toString('base64url')
  const privateKey = createPrivateKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: stored, d },
    format: 'jwk',
  })
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (x !== stored || kid !== thumbprint(x)) throw new Error('the public key is not that of the private key')
  return { kid, privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } }
}

/** The name of a key: who knows the name knows the key. @source RFC 7638, RFC 8037 appendix A.3 */
export const thumbprint = (x: string): string =>
  sha256(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x })).toString('base64url')

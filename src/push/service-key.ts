import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import type { Db } from '../db/connect.ts'
import { type PushKeyRow, addPushKey, readPushKey } from '../db/queries/members/push-key.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { type SecretPlace, open, seal, serviceWide } from '../secrets/seal.ts'

/** The key by which push services recognize this service. */
export interface ServiceKey {
  /** A point on P-256, uncompressed: browsers bind their subscription to it. */
  publicKey: Buffer
  privateKey: KeyObject
}

const place: SecretPlace = { account: serviceWide, integration: 'push', field: 'service_key' }

/**
 * Reads the key. Where there is none, makes it: of several processes, one does.
 * @throws Error where the ring has no key for it, or the row is not what this service stored
 */
export async function readServiceKey(db: Db, keys: KeyProvider): Promise<ServiceKey> {
  const found = await readPushKey(db)
  if (found) return openKey(keys, found)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  await addPushKey(db, pointOf(privateKey), await seal(keys, place, secret))
  return openKey(keys, (await readPushKey(db))!)
}

async function openKey(keys: KeyProvider, row: PushKeyRow): Promise<ServiceKey> {
  const { public_key: publicKey, ciphertext, wrapped_key: wrappedKey, secrets_kid: kid } = row
  const secret = await open(keys, place, { ciphertext, wrappedKey, kid })
  const privateKey = createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' })
  if (!pointOf(privateKey).equals(publicKey))
    throw new Error('the public key of pushes is not that of the private key')
  return { publicKey, privateKey }
}

function pointOf(key: KeyObject): Buffer {
  const { x, y } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')])
}

/** How long a push service may take a token for. It refuses more than 24 hours. */
const tokenLastsSeconds = 43_200

/**
 * The header by which a push service recognizes this service.
 * @param contact  https: or mailto:, where the operator of the push service reaches that of this one
 * @param now  milliseconds since 1970
 * @source RFC 8292 §2 and §3
 */
export function vapidHeader(key: ServiceKey, endpoint: string, contact: string, now = Date.now()): string {
  const part = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now / 1_000) + tokenLastsSeconds,
    sub: contact,
  }
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${key.publicKey.toString('base64url')}`
}

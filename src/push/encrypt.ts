import { type ECDH, createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** For whom a message is encrypted. */
export interface Subscription {
  /** A point on P-256, uncompressed. */
  publicKey: Buffer
  auth: Buffer
}

const curve = 'prime256v1'
const recordBytes = 4_096
const authBytes = 16

/**
 * Encrypts a message that only the browser of a subscription can read: its push service cannot.
 * @param ours  a key and a salt of their own for each message; given in tests
 * @source RFC 8291 §3.4, RFC 8188 §2
 */
export function encryptPush(
  { publicKey, auth }: Subscription,
  message: Buffer,
  ours: { key: ECDH; salt: Buffer } = { key: newKey(), salt: randomBytes(16) },
): Buffer {
  const { key, salt } = ours
  const own = key.getPublicKey()
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, own])
  const shared = derive(auth, key.computeSecret(publicKey), about, 32)
  const cipher = createCipheriv(
    'aes-128-gcm',
    derive(salt, shared, 'Content-Encoding: aes128gcm\0', 16),
    derive(salt, shared, 'Content-Encoding: nonce\0', 12),
  )
  const length = Buffer.alloc(5)
  length.writeUInt32BE(recordBytes)
  length.writeUInt8(own.length, 4)
  // The byte after the message says that this is the last record.
  const record = Buffer.concat([message, Buffer.of(2)])
  return Buffer.concat([salt, length, own, cipher.update(record), cipher.final(), cipher.getAuthTag()])
}

/** Whether messages can be encrypted for it. Pure. */
export function isSubscription({ publicKey, auth }: Subscription): boolean {
  if (auth.length !== authBytes || publicKey.length !== 65) return false
  try {
    newKey().computeSecret(publicKey)
    return true
  } catch {
    return false
  }
}

function newKey(): ECDH {
  const key = createECDH(curve)
  key.generateKeys()
  return key
}

const derive = (salt: Buffer, secret: Buffer, about: Buffer | string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, about, bytes))

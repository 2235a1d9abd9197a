import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

/** A new secret of a kind or an endpoint, as both sides keep it: `whsec_` and base64. */
export const newWebhookSecret = (): string => prefix + randomBytes(secretBytes).toString('base64')

const privatePrefix = 'whsk_'
const publicPrefix = 'whpk_'

/** A new key that signs so that receivers need no secret. @returns `secret`: `whsk_` and base64 of PKCS #8; `publicKey`: 32 bytes */
export function newSigningKey(): { secret: string; publicKey: Buffer } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const secret = privatePrefix + privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { secret, publicKey: Buffer.from(x!, 'base64url') }
}

/** As receivers keep it. */
export const shownPublicKey = (publicKey: Buffer): string => publicPrefix + publicKey.toString('base64')

/** A message to sign. Its id is the same at each repeat; the timestamp is of the attempt, in seconds. */
export interface SignedMessage {
  id: string
  timestamp: number
  body: string
}

/**
 * The headers that prove where a message comes from. While a secret rotates there are several signatures, so that the receiver may
 * know either.
 * @param secrets  newest first: `whsec_` signs as `v1`, `whsk_` as `v1a`
 * @source Standard Webhooks 1.0.0
 */
export function signatureHeaders(
  message: SignedMessage,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(message, secret)).join(' '),
  }
}

function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): string {
  const signed = Buffer.from(`${id}.${timestamp}.${body}`)
  if (secret.startsWith(privatePrefix)) {
    const der = Buffer.from(secret.slice(privatePrefix.length), 'base64')
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    return `v1a,${sign(null, signed, key).toString('base64')}`
  }
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

/** A new secret of a kind, as both sides keep it: `whsec_` and base64. */
export const newWebhookSecret = (): string => prefix + randomBytes(secretBytes).toString('base64')

/** A message to sign. Its id is the same at each repeat; the timestamp is of the attempt, in seconds. */
export interface SignedMessage {
  id: string
  timestamp: number
  body: string
}

/**
 * The headers that prove where a message comes from. While a secret rotates there are two signatures, so that the receiver may
 * know either.
 * @param secrets  newest first
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
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/**
 * How the hooks of agent runners sign. A request has a MAC in place of its key, and the answer one over that: what stands between
 * the two learns no key, and cannot answer in the gate's place.
 * @source docs/runner-protocol.md#how-a-request-is-signed
 */

/** A runner key that signs. */
export interface Signer {
  /** SHA-256 of the key. */
  hash: Buffer
  secret: Buffer
}

/** What a request says of itself. */
export interface HookSignature {
  /** How requests name the key: it tells nothing about it. */
  name: Buffer
  /** Seconds since 1970, by the clock of the machine. */
  time: number
  nonce: Buffer
  /** SHA-256 of the body, in hex. */
  digest: string
  mac: string
}

/** Both are made from the key, so the machine needs nothing else. Pure. */
export const signingOf = (apiKey: string): { name: Buffer; secret: Buffer } => ({
  name: hash('sha256', `qualification-gate hook name 1\n${apiKey}`, 'buffer'),
  secret: hash('sha256', `qualification-gate hook secret 1\n${apiKey}`, 'buffer'),
})

const form =
  /^Gate-Hook-1 key=([\da-f]{64}), time=(\d{1,12}), nonce=([\da-f]{32}), digest=([\da-f]{64}), mac=([\da-f]{64})$/

/** The signature in a header; undefined where there is none. Pure. */
export function signatureIn(authorization: string | undefined): HookSignature | undefined {
  const [, name, time, nonce, digest, mac] = form.exec(authorization ?? '') ?? []
  if (name === undefined) return undefined
  return {
    name: Buffer.from(name, 'hex'),
    time: Number(time),
    nonce: Buffer.from(nonce!, 'hex'),
    digest: digest!,
    mac: mac!,
  }
}

/** Whether a request was signed with this secret. @param target  the path with its query, as it was sent. Pure. */
export function isSignedBy(secret: Buffer, target: string, signature: HookSignature): boolean {
  const { time, nonce, digest, mac } = signature
  const signed = `gate-request-1\nPOST\n${target}\n${time}\n${nonce.toString('hex')}\n${digest}\n`
  return timingSafeEqual(macOf(secret, signed), Buffer.from(mac, 'hex'))
}

/** The gate's MAC over an answer, in hex. @param requestMac  of the request that it answers. Pure. */
export const answerMac = (secret: Buffer, requestMac: string, status: number, text: string): string =>
  macOf(secret, `gate-answer-1\n${requestMac}\n${status}\n${text}`).toString('hex')

const macOf = (secret: Buffer, text: string): Buffer => createHmac('sha256', secret).update(text).digest()

import { createHmac, timingSafeEqual } from 'node:crypto'

/** A received request: its two signature headers and the bytes of its body. */
export interface SignedRequest {
  signature: string | undefined
  /** Whole seconds since 1970, by Slack's clock. */
  timestamp: string | undefined
  body: Buffer
}

/**
 * Whether Slack signed a request for our app, with a timestamp close to now. Pure.
 * @param skewMsMax  in both directions
 * @source Slack, Verifying requests: `v0=` and the hex HMAC-SHA256 of `v0:<timestamp>:<body>`; five minutes
 */
export function isSignedBySlack(
  { signature, timestamp, body }: SignedRequest,
  secret: string,
  nowMs: number,
  skewMsMax: number,
): boolean {
  if (!signature || !timestamp || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(nowMs - Number(timestamp) * 1_000) > skewMsMax) return false
  const expected = Buffer.from(slackSignature({ timestamp, body }, secret))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The signature of Slack. Pure. */
export function slackSignature(
  { timestamp, body }: { timestamp: string; body: Buffer },
  secret: string,
): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
}

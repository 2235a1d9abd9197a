import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request as it came in: the two headers, and the bytes of its body. */
export interface SignedRequest {
  signature: string | undefined
  /** Whole seconds since 1970, as Slack's clock had them. */
  timestamp: string | undefined
  body: Buffer
}

/**
 * Whether a request was signed by Slack for our app, not long ago and not ahead of its time. Pure.
 * @param skewMsMax  on both sides of now
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

/** The signature that Slack gives. Pure. */
export function slackSignature(
  { timestamp, body }: { timestamp: string; body: Buffer },
  secret: string,
): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
}

import { createHmac, timingSafeEqual } from 'node:crypto'

/** The token of a preview link, and the cookies of one request that are checked. */
const previewTokenCharsMax = 200
const previewCookiesReadMax = 4

/** The query parameter with the token of a link. */
export const linkParameter = 'pt'

/** A link can be opened for a limited time; the cookie it is exchanged for is valid for the preview's lifetime. */
type Purpose = 'link' | 'cookie'

/**
 * Signs a token that gives access to a preview. Each preview has its own secret, so a token of another preview or of an
 * ended one is not valid.
 * @returns base64url of purpose, preview, end in milliseconds, and HMAC-SHA256 over these
 */
export function signToken(secret: Buffer, purpose: Purpose, previewId: string, endsAt: Date): string {
  const said = `${purpose}|${previewId}|${endsAt.getTime()}|`
  return Buffer.concat([Buffer.from(said), mac(secret, said)]).toString('base64url')
}

export type Reading = 'valid' | 'expired' | 'invalid'

/** Checks a token. A token with a wrong signature is `invalid`, whatever its end time. */
export function readToken(
  token: string,
  { secret, previewId }: { secret: Buffer; previewId: string },
  purpose: Purpose,
  nowMs: number,
): Reading {
  const bytes = Buffer.from(token.slice(0, previewTokenCharsMax + 1), 'base64url')
  // Every token has one encoding: another encoding of the same bytes is refused.
  if (bytes.length <= macBytes || bytes.toString('base64url') !== token) return 'invalid'
  const said = bytes.subarray(0, -macBytes).toString('latin1')
  if (!timingSafeEqual(bytes.subarray(-macBytes), mac(secret, said))) return 'invalid'
  const [saidPurpose, saidPreview, endsAtMs] = said.split('|')
  if (saidPurpose !== purpose || saidPreview !== previewId) return 'invalid'
  return Number(endsAtMs) > nowMs ? 'valid' : 'expired'
}

const macBytes = 32
const mac = (secret: Buffer, said: string): Buffer => createHmac('sha256', secret).update(said).digest()

/** The link for a viewer. */
export function linkTo(origin: string, token: string): string {
  return `${origin}/?${linkParameter}=${token}`
}

const cookieName = (isSecure: boolean): string => (isSecure ? '__Host-gate-preview' : 'gate-preview')

/** Host-only, so that no other preview receives it; ends with the browser session. */
export function previewCookie(token: string, isSecure: boolean): string {
  return `${cookieName(isSecure)}=${token}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

/** The tokens in a request's cookies. One must be valid: a page can add cookies of that name, but not remove ours. */
export function cookieTokens(header: string | undefined, isSecure: boolean): string[] {
  const prefix = `${cookieName(isSecure)}=`
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .slice(0, previewCookiesReadMax)
    .map((pair) => pair.slice(prefix.length))
}

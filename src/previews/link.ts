import { createHmac, timingSafeEqual } from 'node:crypto'

/** The parameter of a link that holds its token. */
export const linkParameter = 'pt'

/** A link opens a preview for a while; the cookie that it becomes holds as long as the preview may. */
type Purpose = 'link' | 'cookie'

const tokenBytesMax = 200

/**
 * Signs that whoever holds this may see a preview. The secret is the preview's own, so that a token of another one, or of
 * one that has ended, is worth nothing.
 * @returns base64url of purpose, preview, end in milliseconds, and HMAC-SHA256 over these
 */
export function signToken(secret: Buffer, purpose: Purpose, previewId: string, endsAt: Date): string {
  const said = `${purpose}|${previewId}|${endsAt.getTime()}|`
  return Buffer.concat([Buffer.from(said), mac(secret, said)]).toString('base64url')
}

export type Reading = 'valid' | 'expired' | 'invalid'

/** Checks a token. One that nobody signed is `invalid`, whatever time it names. */
export function readToken(
  secret: Buffer,
  purpose: Purpose,
  previewId: string,
  token: string,
  nowMs: number,
): Reading {
  const bytes = Buffer.from(token.slice(0, tokenBytesMax + 1), 'base64url')
  // Every token has one spelling: what decodes to the same bytes in another is nobody's.
  if (bytes.length <= macBytes || bytes.toString('base64url') !== token) return 'invalid'
  const said = bytes.subarray(0, -macBytes).toString('latin1')
  if (!timingSafeEqual(bytes.subarray(-macBytes), mac(secret, said))) return 'invalid'
  const [saidPurpose, saidPreview, endsAtMs] = said.split('|')
  if (saidPurpose !== purpose || saidPreview !== previewId) return 'invalid'
  return Number(endsAtMs) > nowMs ? 'valid' : 'expired'
}

const macBytes = 32
const mac = (secret: Buffer, said: string): Buffer => createHmac('sha256', secret).update(said).digest()

/** The address that a viewer opens. */
export function linkTo(origin: string, token: string): string {
  return `${origin}/?${linkParameter}=${token}`
}

const cookieName = (isSecure: boolean): string => (isSecure ? '__Host-gate-preview' : 'gate-preview')

/** Host-only, so that no other preview gets it; gone with the browser's session at the latest. */
export function previewCookie(token: string, isSecure: boolean): string {
  return `${cookieName(isSecure)}=${token}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

/** The tokens that a browser brought, of which one must hold: a page can add cookies of that name, and take none away. */
export function cookieTokens(header: string | undefined, isSecure: boolean): string[] {
  const prefix = `${cookieName(isSecure)}=`
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .slice(0, cookiesReadMax)
    .map((pair) => pair.slice(prefix.length))
}

const cookiesReadMax = 4

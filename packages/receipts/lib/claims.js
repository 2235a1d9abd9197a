import { payloadSha256 } from './canonical.js'
import { strengths } from './options.js'
import { ReceiptError } from './receipt-error.js'

/** How far the gate's clock may be ahead of this one. */
const clockAheadSeconds = 60

const texts = ['iss', 'sub', 'account', 'uuid', 'kind', 'digest', 'payload_sha256', 'tier', 'jti']
const numbers = ['action', 'policy_version', 'iat']
const consentTexts = ['strength', 'by', 'at', 'channel']

/**
 * Checks what a signed receipt says against what is demanded, first its own time, then for whom and what it is.
 * @param {Record<string, any>} claims
 * @param {import('./options.js').Demanded} demanded
 * @returns {Promise<import('./index.d.ts').Receipt>}
 */
export async function checkClaims(claims, demanded) {
  if (!Number.isSafeInteger(claims.exp))
    throw new ReceiptError('no_expiry', 'The receipt does not say when it expires.')
  if (!isWhole(claims)) throw new ReceiptError('malformed', 'The receipt lacks a field.')
  const now = demanded.now.getTime() / 1_000
  if (now >= claims.exp) throw new ReceiptError('expired', `The receipt expired at ${iso(claims.exp)}.`)
  if (claims.iat > now + clockAheadSeconds)
    throw new ReceiptError(
      'issued_in_future',
      `The consent is of ${iso(claims.iat)}, which is in the future.`,
    )
  demandSame('wrong_issuer', 'gate', claims.iss, demanded.issuer)
  demandSame('wrong_account', 'account', claims.account, demanded.account)
  demandSame('wrong_kind', 'kind', claims.kind, demanded.kind)
  if (demanded.maxAgeSeconds !== undefined && now - claims.iat > demanded.maxAgeSeconds)
    throw new ReceiptError(
      'too_old',
      `The consent is of ${iso(claims.iat)}, more than ${demanded.maxAgeSeconds} seconds ago.`,
    )
  const { minStrength } = demanded
  if (
    minStrength !== undefined &&
    strengths.indexOf(claims.consent.strength) < strengths.indexOf(minStrength)
  )
    throw new ReceiptError(
      'too_weak',
      `The consent is ${claims.consent.strength}, but ${minStrength} is required.`,
    )
  if ('payload' in demanded && (await hashOf(demanded.payload)) !== claims.payload_sha256)
    throw new ReceiptError('wrong_payload', 'The payload is not the one that the member consented to.')
  return /** @type {import('./index.d.ts').Receipt} */ (claims)
}

/** @param {Record<string, any>} claims */
const isWhole = (claims) =>
  texts.every((name) => typeof claims[name] === 'string') &&
  numbers.every((name) => Number.isSafeInteger(claims[name])) &&
  consentTexts.every((name) => typeof claims.consent?.[name] === 'string')

/**
 * @param {'wrong_issuer' | 'wrong_account' | 'wrong_kind'} code
 * @param {string} what
 * @param {string} said
 * @param {string | undefined} demanded
 */
function demandSame(code, what, said, demanded) {
  if (demanded !== undefined && said !== demanded)
    throw new ReceiptError(code, `The receipt is of another ${what} (${said}).`)
}

/** @param {unknown} payload */
async function hashOf(payload) {
  try {
    return await payloadSha256(payload)
  } catch (error) {
    throw new ReceiptError(
      'wrong_payload',
      `The payload cannot be hashed: ${/** @type {Error} */ (error).message}`,
    )
  }
}

/** @param {number} seconds */
const iso = (seconds) => {
  const time = new Date(seconds * 1_000)
  return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString()
}

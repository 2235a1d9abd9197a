import { base64url, compactVerify, errors } from 'jose'
import { checkClaims } from './claims.js'
import { keySource } from './key-source.js'
import { readOptions } from './options.js'
import { ReceiptError } from './receipt-error.js'

/** Receipts have about 1,200 characters. */
const charsMax = 8_192
const type = 'gate-receipt+jwt'
const algorithm = 'EdDSA'

/** @type {typeof import('./index.d.ts').verifyReceipt} */
export async function verifyReceipt(jws, options) {
  const demanded = readOptions(options)
  const header = headerOf(jws)
  if (header.typ !== type)
    throw new ReceiptError('wrong_type', `The token is not a receipt: its \`typ\` is not ${type}.`)
  if (header.alg !== algorithm)
    throw new ReceiptError('wrong_algorithm', `The receipt must be signed with ${algorithm}.`)
  const claims = await signedClaims(jws, keySource(options.jwks))
  return checkClaims(claims, demanded)
}

/**
 * The header of a compact JWS in the one form in which the gate writes it: each part is the base64url of its bytes, without
 * padding or unused bits, so that no other text passes for the same receipt.
 * @param {unknown} jws
 * @returns {Record<string, unknown>}
 */
function headerOf(jws) {
  if (typeof jws !== 'string') throw malformed('A receipt is a text.')
  if (jws.length > charsMax)
    throw new ReceiptError('too_long', `A receipt has at most ${charsMax} characters.`)
  const parts = jws.split('.')
  if (parts.length !== 3) throw malformed('A receipt has three parts with dots between them.')
  const [header] = parts.map(decoded)
  const read = objectIn(/** @type {Uint8Array} */ (header))
  if (typeof read.kid !== 'string') throw malformed('The receipt does not name its key.')
  return read
}

/** @param {string} part */
function decoded(part) {
  try {
    const bytes = base64url.decode(part)
    if (base64url.encode(bytes) === part) return bytes
  } catch {
    // Not base64url: refused below.
  }
  throw malformed('A part of the receipt is not base64url.')
}

/**
 * @param {string} jws
 * @param {import('./key-source.js').KeySource} keys
 */
async function signedClaims(jws, keys) {
  try {
    const { payload } = await compactVerify(jws, keys, { algorithms: [algorithm] })
    return objectIn(payload)
  } catch (error) {
    if (error instanceof ReceiptError) throw error
    if (error instanceof errors.JWSSignatureVerificationFailed)
      throw new ReceiptError(
        'wrong_signature',
        'The signature is not that of the gate: the receipt was changed or forged.',
      )
    throw malformed('The receipt could not be read.', error)
  }
}

/**
 * @param {Uint8Array} bytes
 * @returns {Record<string, unknown>}
 */
function objectIn(bytes) {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Not JSON: refused below.
  }
  throw malformed('A part of the receipt is not a JSON object.')
}

/**
 * @param {string} message
 * @param {unknown} [cause]
 */
const malformed = (message, cause) => new ReceiptError('malformed', message, { cause })

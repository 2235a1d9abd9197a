import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors } from 'jose'
import { ReceiptError } from './receipt-error.js'

/** A set of keys: how many, and how many bytes of an answer are read. */
const keysMax = 100
const bytesMax = 65_536
/** Addresses of which the keys are kept. */
const addressesMax = 32

/** @typedef {(header: import('jose').JWSHeaderParameters) => Promise<import('jose').CryptoKey>} KeySource */

/**
 * Finds the key that a header names.
 * @param {import('./index.d.ts').VerifyOptions['jwks']} jwks
 * @returns {KeySource}
 */
export function keySource(jwks) {
  const isAddress = typeof jwks === 'string' || jwks instanceof URL
  const find = isAddress ? remote(jwks) : createLocalJWKSet(publicKeys(jwks))
  return async (header) => {
    try {
      return await find(header)
    } catch (error) {
      if (error instanceof ReceiptError) throw error
      if (error instanceof errors.JWKSNoMatchingKey)
        throw new ReceiptError(
          'unknown_key',
          'The receipt was signed with a key that the gate does not publish: it may have been replaced long ago, or never been its key.',
        )
      if (error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JWKSInvalid)
        throw new ReceiptError('invalid_jwks', 'The set of keys is not valid.', { cause: error })
      throw new ReceiptError(
        'jwks_unavailable',
        `The gate's keys could not be fetched: ${messageOf(error)}`,
        {
          cause: error,
        },
      )
    }
  }
}

/** @type {Map<string, ReturnType<typeof createRemoteJWKSet>>} */
const known = new Map()

/** @param {string | URL} address */
function remote(address) {
  const url = new URL(address)
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    throw new TypeError('The address of the keys must begin with https, or be on this machine.')
  const found = known.get(url.href)
  if (found) return found
  const made = createRemoteJWKSet(url, { [customFetch]: fetchBounded })
  known.set(url.href, made)
  if (known.size > addressesMax) known.delete(/** @type {string} */ (known.keys().next().value))
  return made
}

/**
 * @param {string} url
 * @param {RequestInit} options
 */
async function fetchBounded(url, options) {
  const response = await fetch(url, options)
  if (response.status !== 200 || !response.body) throw new Error(`it answered ${response.status}.`)
  let text = ''
  let bytes = 0
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (response.body)) {
    bytes += chunk.length
    if (bytes > bytesMax)
      throw new ReceiptError('invalid_jwks', `The set of keys has more than ${bytesMax} bytes.`)
    text += decoder.decode(chunk, { stream: true })
  }
  return Response.json(publicKeys(JSON.parse(text + decoder.decode())))
}

/**
 * The set, if it holds nothing but public keys of Ed25519. A private or symmetric key in it says that it is not a published
 * set, or that it must not have been: nothing is verified with it.
 * @param {any} jwks
 * @returns {import('jose').JSONWebKeySet}
 */
function publicKeys(jwks) {
  const keys = jwks?.keys
  if (!Array.isArray(keys) || keys.length > keysMax)
    throw new ReceiptError('invalid_jwks', `A set of keys has a list \`keys\` of at most ${keysMax}.`)
  const isPublic = keys.every(
    (key) => key?.kty === 'OKP' && key.crv === 'Ed25519' && typeof key.kid === 'string' && !('d' in key),
  )
  if (!isPublic)
    throw new ReceiptError(
      'invalid_jwks',
      'The set of keys must hold public Ed25519 keys with a `kid`, and nothing else.',
    )
  return { keys }
}

/** @param {unknown} error */
const messageOf = (error) => {
  const { message, cause } = /** @type {Error} */ (error)
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

/** Weakest first. */
export const strengths = ['agent_attested', 'client_attested', 'chat', 'page', 'passkey']

const names = ['jwks', 'issuer', 'account', 'kind', 'payload', 'maxAge', 'minStrength', 'now']
const texts = ['issuer', 'account', 'kind']
const secondsOf = { s: 1, m: 60, h: 3_600, d: 86_400 }

/**
 * @typedef {Omit<import('./index.d.ts').VerifyOptions, 'jwks' | 'maxAge' | 'now'> & {
 *   maxAgeSeconds?: number | undefined, now: Date }} Demanded
 */

/**
 * What a receipt must fulfil. An option that is misspelled or undefined would demand nothing, so it is refused: it may be a
 * field that the sender of a request left out.
 * @param {import('./index.d.ts').VerifyOptions} options
 * @returns {Demanded}
 * @throws {TypeError}
 */
export function readOptions(options) {
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) throw new TypeError(`verifyReceipt has no option ${name}.`)
    if (value === undefined)
      throw new TypeError(`The option ${name} is undefined. Leave it out, or give it a value.`)
    if (texts.includes(name) && typeof value !== 'string')
      throw new TypeError(`The option ${name} must be a text.`)
  }
  const { jwks, maxAge, now = new Date(), ...others } = options
  if (!jwks) throw new TypeError('The option jwks is required.')
  if (others.minStrength !== undefined && !strengths.includes(others.minStrength))
    throw new TypeError(`The option minStrength must be one of ${strengths.join(', ')}.`)
  if (Number.isNaN(now.getTime())) throw new TypeError('The option now must be a valid time.')
  return { ...others, now, maxAgeSeconds: maxAge === undefined ? undefined : seconds(maxAge) }
}

/** @param {number | string} maxAge */
function seconds(maxAge) {
  const [, number, unit] = /^(\d{1,9}) ?([smhd])?$/.exec(String(maxAge)) ?? []
  if (number === undefined)
    throw new TypeError('The option maxAge must be whole seconds, or a number with s, m, h or d.')
  return Number(number) * secondsOf[/** @type {'s'} */ (unit ?? 's')]
}

/** Deeper values are refused: they could exhaust the stack. */
const depthMax = 128

/**
 * The RFC 8785 form of a JSON value: keys sorted by UTF-16 code units, no white space. Properties that are undefined are left
 * out.
 * @param {unknown} value
 * @param {number} [depth]  of the value inside the whole one
 * @returns {string}
 * @throws {TypeError} on what JSON cannot represent
 */
export function canonical(value, depth = 0) {
  if (depth > depthMax) throw new TypeError(`The value is more than ${depthMax} levels deep.`)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('JSON cannot represent this number.')
    return JSON.stringify(value)
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('The string contains a lone surrogate.')
    return JSON.stringify(value)
  }
  if (typeof value !== 'object') throw new TypeError(`JSON cannot represent a ${typeof value}.`)
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([name, member]) => `${canonical(name)}:${canonical(member, depth + 1)}`).join(',')}}`
}

/**
 * @param {unknown} payload
 * @returns {Promise<string>} hex
 * @throws {TypeError} on what JSON cannot represent, and on a number that was rounded when it was read
 */
export async function payloadSha256(payload) {
  const text = canonical(payload)
  JSON.parse(text, requireExact)
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Two numbers beyond 2^53 in a text can be read as one: with its hash, what was consented to could be swapped for the other.
 * @param {string} _name
 * @param {unknown} value
 */
function requireExact(_name, value) {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new TypeError(`It has a number beyond ${Number.MAX_SAFE_INTEGER}, which readers of JSON round.`)
  return value
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined }

/**
 * Whether a number is read alike everywhere. JavaScript rounds whole numbers beyond 2^53, so that two of them in a text become
 * one, with one digest; other readers do not. Pure.
 * @source RFC 7493 §2.2
 */
export const isReadAlike = (number: number): boolean =>
  Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER

/**
 * The RFC 8785 form of a JSON value: keys sorted by UTF-16 code units, no white space. Pure.
 * Properties that are undefined are left out. Strings must be valid Unicode.
 * @throws TypeError on a number that JSON cannot represent, or a lone surrogate
 * @source RFC 8785 §3.2
 */
export function canonical(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError('JSON cannot represent this number.')
  if (typeof value === 'string' && !value.isWellFormed())
    throw new TypeError('The string contains a lone surrogate.')
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  let members = ''
  for (const key of Object.keys(value).toSorted()) {
    const member = value[key]
    if (member !== undefined) members += `${members && ','}${canonical(key)}:${canonical(member)}`
  }
  return `{${members}}`
}

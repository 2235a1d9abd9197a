/**
 * Checks the address and the key of a gate before a request is made with them. No error shows either: they may have been
 * given in the wrong order.
 * @param {{ url: string, key: string }} given
 * @returns {{ url: string, authorization: string }}  the address without a slash at its end
 * @throws {TypeError}
 */
export function addressOf({ url, key }) {
  if (typeof url !== 'string' || !/^https?:\/\/[^/]/.test(url))
    throw new TypeError('url must be the address of the gate, such as https://gate.example.com.')
  // A key that is read from a file often ends with a line break.
  const trimmed = typeof key === 'string' ? key.trim() : ''
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw new TypeError(
      `key must be an API key of the gate: it ${trimmed === '' ? 'is missing' : 'has a character that no key has'}.`,
    )
  return { url: url.replace(/\/$/, ''), authorization: `Bearer ${trimmed}` }
}

import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'qgk_'
const form = /^qgk_[0-9A-Za-z]{38}$/

/** Random base62 characters, without modulo bias. */
export function randomBase62(chars: number): string {
  let text = ''
  while (text.length < chars) {
    for (const byte of randomBytes(chars)) if (byte < 248 && text.length < chars) text += alphabet[byte % 62]
  }
  return text
}

/**
 * A new API key: `qgk_`, 32 random base62 characters (190 bits), 6 of checksum.
 * @source docs/cli.md#create-an-api-key
 */
export function mintKey(): string {
  const body = prefix + randomBase62(32)
  return body + checksum(body)
}

/** Whether a text has the form of a key, including its checksum. Used before the database is read. */
export function isKeyForm(text: string): boolean {
  return form.test(text) && checksum(text.slice(0, -6)) === text.slice(-6)
}

/** The stored hash of a key. The key is random, so a plain SHA-256 is enough. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

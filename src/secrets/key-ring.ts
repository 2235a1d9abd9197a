import { randomBytes } from 'node:crypto'
import { decrypt, encrypt, keyBytes } from './gcm.ts'
import type { KeyProvider } from './key-provider.ts'

const secretsKeysMax = 10

/**
 * The key ring of SECRETS_KEYS: `k2:base64,k1:base64`. The first key encrypts; the others only decrypt, until everything is
 * rewrapped.
 * @throws Error that names the variable, never a value
 */
export function parseKeyRing(text: string): KeyProvider {
  const fault = keyRingFault(text)
  if (fault !== undefined) throw new Error(`SECRETS_KEYS ${fault}`)
  const ring = new Map(entriesOf(text).map(({ kid, base64 }) => [kid, Buffer.from(base64, 'base64')]))
  const [kid, writingKey] = [...ring][0]!
  return {
    kid,
    async wrap(dataKey, account) {
      return { kid, wrappedKey: encrypt(writingKey, dataKey, aboutKey(kid, account)) }
    },
    async unwrap(wrapped, account) {
      const key = ring.get(wrapped.kid)
      if (!key) throw new Error(`SECRETS_KEYS has no key ${wrapped.kid}, which wraps this secret`)
      return decrypt(key, wrapped.wrappedKey, aboutKey(wrapped.kid, account))
    },
  }
}

/** What is wrong with a key ring, as the end of a sentence; undefined if it is valid. Pure. */
export function keyRingFault(text: string): string | undefined {
  const entries = entriesOf(text)
  if (entries.length > secretsKeysMax) return `must have at most ${secretsKeysMax} keys`
  if (entries.some(({ kid }) => !/^[A-Za-z0-9_-]{1,32}$/.test(kid)))
    return 'must be a comma-separated list of name:base64, each name of 1 to 32 letters, digits, _ or -'
  if (entries.some(({ base64 }) => !isKey(base64)))
    return `must have ${keyBytes} bytes in base64 after each name, as printed by \`openssl rand -base64 32\``
  if (new Set(entries.map(({ kid }) => kid)).size < entries.length) return 'must not contain a key name twice'
  return undefined
}

/** A key ring with one new random key. */
export function newKeyRing(): string {
  return `k1:${randomBytes(keyBytes).toString('base64')}`
}

const aboutKey = (kid: string, account: string) => `dek|${kid}|${account}`

function entriesOf(text: string): { kid: string; base64: string }[] {
  return text.split(',').map((entry) => {
    const [kid = '', ...rest] = entry.trim().split(':')
    return { kid, base64: rest.join(':') }
  })
}

function isKey(base64: string): boolean {
  return /^[A-Za-z0-9+/]{43}=?$/.test(base64) && Buffer.from(base64, 'base64').length === keyBytes
}

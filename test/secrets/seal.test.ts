import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newKeyRing, parseKeyRing } from '../../src/secrets/key-ring.ts'
import { open, rewrap, seal } from '../../src/secrets/seal.ts'

const place = { account: 'acct_0000000000000001', integration: 'int_0000000000000001', field: 'api_key' }
const keys = parseKeyRing(newKeyRing())
const named = (kid: string) => newKeyRing().replace(/^k1/, kid)

test('a sealed secret opens in its place, whatever text it is, and never shows in what is stored', async () => {
  const text = fc.string({ minLength: 4, maxLength: 300, unit: 'grapheme' }).filter((t) => t.isWellFormed())
  await fc.assert(
    fc.asyncProperty(text, async (secret) => {
      const sealed = await seal(keys, place, secret)
      expect(await open(keys, place, sealed)).toBe(secret)
      expect(sealed.ciphertext.includes(Buffer.from(secret))).toBe(false)
    }),
  )
})

test('the same secret is stored differently each time: neither data key nor IV is used again', async () => {
  const sealed = await Promise.all(Array.from({ length: 20 }, () => seal(keys, place, 'sk_test_same')))
  const stored = sealed.flatMap(({ ciphertext, wrappedKey }) => [
    ciphertext.toString('hex'),
    wrappedKey.toString('hex'),
  ])
  expect(new Set(stored).size).toBe(40)
})

test.each([
  ['account', { account: 'acct_0000000000000002' }],
  ['integration', { integration: 'int_0000000000000002' }],
  ['field', { field: 'bot_token' }],
])('a sealed secret does not open as that of another %s', async (_, other) => {
  const sealed = await seal(keys, place, 'sk_test_1')
  await expect(open(keys, { ...place, ...other }, sealed)).rejects.toThrow()
})

test('a sealed secret with a single changed bit, anywhere, does not open', async () => {
  const sealed = await seal(keys, place, 'sk_test_1')
  const bits = (text: Buffer) => fc.nat({ max: text.length * 8 - 1 })
  const flipped = (text: Buffer, bit: number) => {
    const copy = Buffer.from(text)
    copy[bit >> 3]! ^= 1 << (bit & 7)
    return copy
  }
  await fc.assert(
    fc.asyncProperty(bits(sealed.ciphertext), bits(sealed.wrappedKey), async (one, other) => {
      const ciphertext = flipped(sealed.ciphertext, one)
      const wrappedKey = flipped(sealed.wrappedKey, other)
      await expect(open(keys, place, { ...sealed, ciphertext })).rejects.toThrow()
      await expect(open(keys, place, { ...sealed, wrappedKey })).rejects.toThrow()
    }),
  )
  const short = { ...sealed, ciphertext: sealed.ciphertext.subarray(0, 20) }
  await expect(open(keys, place, short)).rejects.toThrow()
})

test('a sealed secret does not open under another key, nor under the same key by another name', async () => {
  const sealed = await seal(keys, place, 'sk_test_1')
  await expect(open(parseKeyRing(newKeyRing()), place, sealed)).rejects.toThrow()
  const ring = newKeyRing()
  const [first, renamed] = [parseKeyRing(ring), parseKeyRing(ring.replace(/^k1/, 'k9'))]
  const ofFirst = await seal(first, place, 'sk_test_1')
  await expect(open(renamed, place, { ...ofFirst, kid: 'k9' })).rejects.toThrow()
})

test('a key that is not in the ring is named, and nothing of it', async () => {
  const sealed = await seal(parseKeyRing(named('k0')), place, 'sk_test_1')
  await expect(open(keys, place, sealed)).rejects.toThrow(
    'SECRETS_KEYS has no key k0, which wraps this secret',
  )
})

test('rotation: the old key reads until everything is wrapped again, then it can be dropped', async () => {
  const [k1, k2] = [named('k1'), named('k2')]
  const [before, during, after] = [k1, `${k2},${k1}`, k2].map(parseKeyRing)
  const sealed = await seal(before!, place, 'sk_test_1')
  expect(await open(during!, place, sealed)).toBe('sk_test_1')
  const rewrapped = { ...sealed, ...(await rewrap(during!, place.account, sealed)) }
  expect(rewrapped.kid).toBe('k2')
  expect(rewrapped.ciphertext).toEqual(sealed.ciphertext)
  expect(await open(after!, place, rewrapped)).toBe('sk_test_1')
  await expect(open(after!, place, sealed)).rejects.toThrow(/no key k1/)
  await expect(rewrap(during!, 'acct_0000000000000002', sealed)).rejects.toThrow()
})

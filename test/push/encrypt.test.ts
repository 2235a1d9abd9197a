import { expect, test } from '@jest/globals'
import { createECDH, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { encryptPush, isSubscription } from '../../src/push/encrypt.ts'
import { decrypt } from '../support/push-receiver.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')

test('a message is encrypted as the example of RFC 8291, appendix A', () => {
  const key = createECDH('prime256v1')
  key.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'))
  const subscription = {
    publicKey: bytes(
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    ),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  }
  const message = Buffer.from('When I grow up, I want to be a watermelon')
  const made = encryptPush(subscription, message, { key, salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') })
  expect(made.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

test('only its browser reads a message, and the same message is never encrypted alike', () => {
  const [browser, other] = [createECDH('prime256v1'), createECDH('prime256v1')]
  const subscription = { publicKey: browser.generateKeys(), auth: randomBytes(16) }
  other.generateKeys()
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: 'grapheme' }), (text) => {
      fc.pre(text.isWellFormed())
      const [one, two] = [0, 1].map(() => encryptPush(subscription, Buffer.from(text)))
      expect(decrypt(one!, browser, subscription.auth)).toBe(text)
      expect(one!.equals(two!)).toBe(false)
      expect(() => decrypt(one!, other, subscription.auth)).toThrow()
      expect(() => decrypt(one!, browser, randomBytes(16))).toThrow()
    }),
    { numRuns: 30 },
  )
})

test('what is no point of the curve is no subscription, so nothing is encrypted for a key that leaks', () => {
  const key = createECDH('prime256v1').generateKeys()
  const auth = randomBytes(16)
  expect(isSubscription({ publicKey: key, auth })).toBe(true)
  const off = Buffer.from(key)
  off[64]! ^= 1
  for (const publicKey of [off, Buffer.alloc(65), key.subarray(0, 64), Buffer.concat([key, key])])
    expect(isSubscription({ publicKey, auth })).toBe(false)
  expect(isSubscription({ publicKey: key, auth: auth.subarray(1) })).toBe(false)
})

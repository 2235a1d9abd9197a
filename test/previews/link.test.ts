import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newPreviewId, previewIdForm, previewOfHost, previewOrigin } from '../../src/previews/label.ts'
import { cookieTokens, previewCookie, readToken, signToken } from '../../src/previews/link.ts'

const secret = randomBytes(32)
const [ours, another] = [newPreviewId(), newPreviewId()]
const now = Date.parse('2026-11-21T10:00:00Z')
const inAMinute = new Date(now + 60_000)
const link = signToken(secret, 'link', ours, inAMinute)
const read = (token: string, by = secret, preview = ours, at = now) =>
  readToken(token, { secret: by, previewId: preview }, 'link', at)

describe('a token', () => {
  test('holds until its time, and not in that moment', () => {
    expect(read(link)).toBe('valid')
    expect(read(link, secret, ours, inAMinute.getTime() - 1)).toBe('valid')
    expect(read(link, secret, ours, inAMinute.getTime())).toBe('expired')
  })

  test("of another preview, of another's secret, or made as a cookie opens nothing", () => {
    expect(read(link, randomBytes(32))).toBe('invalid')
    expect(read(link, secret, another)).toBe('invalid')
    expect(read(signToken(secret, 'cookie', ours, inAMinute))).toBe('invalid')
    expect(readToken(link, { secret, previewId: ours }, 'cookie', now)).toBe('invalid')
  })

  test('with any one bit changed is invalid, its time included', () => {
    const bytes = Buffer.from(link, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(read(changed.toString('base64url'))).toBe('invalid')
    }
  })

  test('in another spelling, cut, lengthened or made up is invalid', () => {
    for (const token of [
      '',
      'x',
      `${link}=`,
      `${link}AA`,
      link.slice(0, -4),
      `${link.slice(0, 8)}+${link.slice(9)}`,
    ])
      expect([token, read(token)]).toEqual([token, 'invalid'])
    fc.assert(fc.property(fc.string({ maxLength: 400 }), (token) => read(token) === 'invalid'))
  })
})

test('a cookie is found among others of its name, and a browser of https keeps it to one host', () => {
  const plain = previewCookie('abc', false)
  expect(plain).toBe('gate-preview=abc; Path=/; HttpOnly; SameSite=Lax')
  const secure = previewCookie('abc', true)
  expect(secure).toMatch(/^__Host-gate-preview=abc; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  expect(cookieTokens('a=b; gate-preview=one; gate-preview=two; xgate-preview=no', false)).toEqual([
    'one',
    'two',
  ])
  expect(cookieTokens('gate-preview=one', true)).toEqual([])
  expect(cookieTokens(undefined, false)).toEqual([])
})

test('every preview has an origin of its own, that its host name leads back to', () => {
  for (const gateway of ['http://localhost:8789', 'https://preview.example']) {
    const { host } = new URL(previewOrigin(gateway, ours))
    expect(previewOfHost(gateway, host)).toBe(ours)
    expect(previewOfHost(gateway, host.toUpperCase())).toBe(ours)
    for (const foreign of [
      undefined,
      '',
      new URL(gateway).host,
      `x.${host}`,
      `${host}.`,
      `${host}:1`,
      host.replace(/^./, '-'),
      'evil.example',
      `${host.split('.')[0]}.evil.example`,
    ])
      expect([foreign, previewOfHost(gateway, foreign)]).toEqual([foreign, undefined])
  }
  expect(newPreviewId()).toMatch(previewIdForm)
})

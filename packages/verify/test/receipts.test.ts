import { describe, expect, test } from '@jest/globals'
import { createHmac } from 'node:crypto'
import { type Options, PolicyError, verifyFile } from '../lib/verify.mjs'
import { sha } from './log.ts'
import { jwkOf, newReceipts } from './receipt.ts'
import { testRows } from '../../../test/support/rows.ts'

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const { publicKey, other, claims, jwks, receipt } = newReceipts(new Date('2026-11-23T03:00:00.000Z'))
const { iat } = claims
const now = new Date((iat + 60) * 1_000)
const verify = (jws: string, options: Options = {}) => verifyFile(bytesOf(jws), { jwks, now, ...options })
const problemOf = async (jws: string, options: Options = {}) => {
  const verdict = await verify(jws, options)
  return verdict.ok ? 'none' : verdict.problem
}

/** The claim of a payload as a reader that takes what it gets would compute it. Its names are in order. */
const hashed = (json: string) => ({
  payload_sha256: sha(JSON.stringify(JSON.parse(json))).toString('hex'),
})

describe('a receipt', () => {
  test('says who consented, when and how, and that the payload is the one', async () => {
    const reordered = Buffer.from(
      '{ "reason": "Gr\\u00fc\\u00dfe", "payment": "pi_1", "amount_cents": 900 }\n',
    )
    expect(
      await verify(`${receipt()}\n`, {
        payload: reordered,
        issuer: claims.iss,
        account: claims.account,
        kind: 'refund',
        minStrength: 'chat',
      }),
    ).toEqual({
      ok: true,
      what: 'receipt',
      words: [
        'consented by grace@example.com at 2026-11-23T03:00:00.000Z (chat, slack), signed by https://gate.example.com.',
        'Action 5 of acct_0123456789ABCDEF, refund, valid until 2026-11-24T03:00:00Z.',
        'The payload is the one that was consented to.',
      ],
      facts: expect.objectContaining({ payload: 'matches' }),
    })
    expect(await verify(receipt())).toMatchObject({
      words: expect.arrayContaining([expect.stringContaining('was not checked')]),
    })
  })

  test('every change of one bit is found', async () => {
    const bytes = Buffer.from(receipt())
    const passed = []
    for (let i = 0; i < bytes.length * 8; i += 1) {
      const changed = Buffer.from(bytes)
      changed[i >> 3]! ^= 1 << (i & 7)
      if ((await verify(changed.toString('latin1'))).ok) passed.push(i)
    }
    expect(passed).toEqual([])
  })

  testRows([
    ['another payload', {}, { payload: Buffer.from('{"amount_cents":901}') }, /the payload is not the one/],
    ['a payload that is not JSON', {}, { payload: Buffer.from('{') }, /not JSON/],
    ['another issuer', {}, { issuer: 'https://evil.example' }, /its iss is https:\/\/gate.example.com, not/],
    ['another account', {}, { account: 'acct_ZZZZZZZZZZZZZZZZ' }, /its account is/],
    ['another kind', {}, { kind: 'payout' }, /its kind is refund, not payout/],
    ['a weaker consent', {}, { minStrength: 'page' }, /weaker than page/],
    ['its time over', {}, { now: new Date(claims.exp * 1_000) }, /expired/],
    ['a time to come', { iat: iat + 180 }, {}, /from the future/],
    ['no exp', { exp: undefined }, {}, /claim exp/],
    ['an exp without end', { exp: 2 ** 52 }, {}, /expired/],
    ['no consent', { consent: undefined }, {}, /claim consent/],
    ['an unknown strength', { consent: { ...claims.consent, strength: 'telepathy' } }, {}, /claim consent/],
  ])('is refused where anything of it is wrong', async (_, change, options, problem) => {
    expect(await problemOf(receipt(change), options as Options)).toMatch(problem)
  })

  testRows([
    ['a name twice', '{"amount_cents":900,"amount_cents":900}', /the name amount_cents stands twice/],
    ['a name twice, once escaped', '{"a":{"b":1,"\\u0062":2}}', /the name b stands twice/],
    ['a name twice, far apart', '{"a":1,"b":[{"a":1}],"c":{"a":1},"a":1}', /the name a stands twice/],
    ['a number beyond all', '{"amount_cents":1e999}', /1e999 is beyond/],
    ['a whole number that is rounded', '{"amount_cents":9007199254740993}', /beyond 9007199254740991/],
    ['a negative one', '[-9007199254740992]', /beyond 9007199254740991/],
    ['a fraction that is rounded', '{"amount_cents":900.00000000000000001}', /rounded when it is read/],
    ['a number that is rounded to nothing', '{"amount_cents":1e-400}', /rounded when it is read/],
    ['a number without end', `[0.${'0'.repeat(1_000_000)}1]`, /more than 64 characters/],
    ['half a character', '{"reason":"\\ud800"}', /half a character/],
  ])('is not held to a payload that others may read as another', async (_, json, problem) => {
    expect(await problemOf(receipt(hashed(json)), { payload: Buffer.from(json) })).toMatch(problem)
  })

  test.each([
    '{"amount_cents":9.0e2,"b":0.10,"c":-0.0,"d":5e-324,"e":9007199254740991,"f":-1.5E+7}',
    '{ "a" : [ {"a": 1}, {"a": 1} ], "b" : "\\"a\\":1,\\"a\\":1e999" , "c":"\\\\" }',
  ])('is held to the payload %s, which all read alike', async (json) => {
    expect(await problemOf(receipt(hashed(json)), { payload: Buffer.from(json) })).toBe('none')
  })

  testRows([
    ['alg none', { alg: 'none' }, /its alg is none/],
    ['alg HS256', { alg: 'HS256' }, /its alg is HS256/],
    ['another typ', { typ: 'JWT' }, /its typ is JWT/],
    ['a key that was rotated out', { kid: 'k9' }, /its key k9 is not among the keys/],
    ['another key', { kid: 'k0' }, /signature does not verify/],
    ['no kid', { kid: undefined }, /another form/],
    ['critical extensions', { crit: ['b64'] }, /another form/],
  ])('is refused with a head that is wrong', async (_, head, problem) => {
    expect(await problemOf(receipt({}, head))).toMatch(problem)
  })

  test('signed with the public key as a secret, with no signature or with two is refused', async () => {
    const text = receipt().split('.').slice(0, 2).join('.')
    const secret = createHmac('sha256', publicKey.export({ type: 'spki', format: 'der' }))
      .update(text)
      .digest('base64url')
    expect(await problemOf(`${text}.${secret}`)).toMatch(/signature does not verify/)
    expect(await problemOf(`${text}.`)).toMatch(/signature does not verify/)
    expect(await problemOf(`${receipt()}.${secret}`)).toMatch(/not a compact JWS/)
    expect(await problemOf(receipt({}, {}, other.privateKey))).toMatch(/signature does not verify/)
  })

  test('needs keys, and each kid once', async () => {
    await expect(verifyFile(bytesOf(receipt()), { now })).rejects.toThrow(PolicyError)
    await expect(verify(receipt(), { jwks: '[]' })).rejects.toThrow(PolicyError)
    const twice = JSON.stringify({ keys: [jwkOf(other.publicKey, 'k1'), jwkOf(publicKey, 'k1')] })
    expect(await problemOf(receipt(), { jwks: twice })).toMatch(/not one Ed25519 key/)
    const secret = JSON.stringify({ keys: [{ ...other.privateKey.export({ format: 'jwk' }), kid: 'k1' }] })
    await expect(verify(receipt(), { jwks: secret })).rejects.toThrow(/has a secret/)
    expect(await problemOf(receipt({ more: 'x'.repeat(8_000) }))).toMatch(/too long/)
  })
})

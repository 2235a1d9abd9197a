import { readFileSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { canonical as gatesCanonical } from '../../../src/gate/canonical.ts'
import { ReceiptError, canonical, payloadSha256, verifyReceipt } from '../lib/index.js'
import { testRows } from '../../../test/support/rows.ts'

const { vectors, jwks, now, options } = JSON.parse(
  readFileSync(new URL('../vectors/receipts.json', import.meta.url), 'utf8'),
)
const good = vectors[0].receipt as string
const at = { jwks, now: new Date(now) }

describe('the options of a verification:', () => {
  test('a valid receipt answers what it says', async () => {
    const receipt = await verifyReceipt(good, { ...at, ...options })
    expect(receipt).toMatchObject({
      action: 23,
      sub: 'mem_0a1B2c3D4e5F6g7H',
      consent: { by: 'ada@example.com', strength: 'chat' },
    })
  })

  test('a refusal is an error with a code and a sentence', async () => {
    const refused = verifyReceipt(good, { ...at, kind: 'payout' })
    await expect(refused).rejects.toBeInstanceOf(ReceiptError)
    await expect(refused).rejects.toMatchObject({
      name: 'ReceiptError',
      code: 'wrong_kind',
      message: 'The receipt is of another kind (refund).',
    })
  })

  testRows(['issuer', 'account', 'kind', 'payload', 'maxAge', 'minStrength'])(
    'an option that is undefined demands nothing, so it is refused',
    async (name) => {
      await expect(verifyReceipt(good, { ...at, [name]: undefined })).rejects.toThrow(`${name} is undefined`)
    },
  )

  testRows([
    ['an option that is misspelled', { minStrenght: 'page' }],
    ['a strength that does not exist', { minStrength: 'pages' }],
    ['an age that is no time', { maxAge: '1 fortnight' }],
    ['a negative age', { maxAge: -1 }],
    ['a time that is none', { now: new Date('') }],
    ['an account that is no text', { account: ['acct_0a1B2c3D4e5F6g7H'] }],
  ])('an option that cannot be read is refused', async (_, wrong) => {
    await expect(verifyReceipt(good, { ...at, ...(wrong as object) })).rejects.toBeInstanceOf(TypeError)
  })

  testRows([
    [299, false],
    ['299', false],
    ['299s', false],
    ['4m', false],
    [300, true],
    ['5m', true],
    ['1h', true],
    ['1 d', true],
  ])('a maxAge is kept to the second, at five minutes', async (maxAge, isKept) => {
    const refused = await verifyReceipt(good, { ...at, maxAge }).then(
      () => undefined,
      ({ code }) => code,
    )
    expect(refused).toBe(isKept ? undefined : 'too_old')
  })

  testRows([undefined, null, 23, {}, [good]])('a value that is no text is no receipt', async (value) => {
    await expect(verifyReceipt(value as string, at)).rejects.toMatchObject({ code: 'malformed' })
  })
})

describe('payloads', () => {
  test('every JSON value has the form that the gate gives it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(canonical(JSON.parse(text))).toBe(gatesCanonical(JSON.parse(text)))
      }),
    )
  })

  test.each([2 ** 53, -(2 ** 53), 1e300])(
    '%p is not hashed: it may be read from another number',
    async (id) => {
      await expect(payloadSha256({ deep: [{ id }] })).rejects.toThrow(TypeError)
      await expect(verifyReceipt(good, { ...at, payload: { id } })).rejects.toMatchObject({
        code: 'wrong_payload',
        message: expect.stringContaining('which readers of JSON round'),
      })
      expect(await payloadSha256({ id: Number.MAX_SAFE_INTEGER })).toMatch(/^[0-9a-f]{64}$/)
    },
  )

  testRows([
    ['a lone surrogate', { text: '\ud800' }],
    ['a number that JSON has not', { number: Number.NaN }],
    ['a bigint', { number: 1n }],
    ['a function', { run: () => {} }],
    ['a depth that exhausts the stack', JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))],
  ])('a payload that differs in anything is another payload', async (_, payload) => {
    await expect(verifyReceipt(good, { ...at, payload })).rejects.toMatchObject({ code: 'wrong_payload' })
  })
})

describe('keys from an address', () => {
  let server: Server | undefined
  const tearDown = () => new Promise<void>((done) => (server ? server.close(() => done()) : done()))
  afterEach(tearDown)

  async function serving(
    answer: () => { status?: number; body: string },
  ): Promise<{ url: string; asked(): number }> {
    let asked = 0
    server = createServer((_request, response) => {
      asked += 1
      const { status = 200, body } = answer()
      response.writeHead(status, { connection: 'close', location: '/elsewhere' }).end(body)
    })
    await new Promise<void>((done) => void server!.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}/keys.json`, asked: () => asked }
  }

  test('are fetched once for many receipts', async () => {
    const { url, asked } = await serving(() => ({ body: JSON.stringify(jwks) }))
    for (let n = 0; n < 5; n++) await verifyReceipt(good, { ...at, jwks: n % 2 ? url : new URL(url) })
    expect(asked()).toBe(1)
  })

  test('receipts of strange keys make no second request within the cooldown', async () => {
    const { url, asked } = await serving(() => ({ body: JSON.stringify(jwks) }))
    const strange = vectors.find(({ code }: { code: string }) => code === 'unknown_key').receipt
    for (let n = 0; n < 20; n++)
      await expect(verifyReceipt(strange, { ...at, jwks: url })).rejects.toMatchObject({
        code: 'unknown_key',
      })
    expect(asked()).toBe(1)
  })

  testRows<[string, string, { status?: number; body: string }]>(
    [
      ['an error', 'jwks_unavailable', { status: 503, body: '{}' }],
      ['a redirect', 'jwks_unavailable', { status: 302, body: '' }],
      ['no JSON', 'jwks_unavailable', { body: '<html>' }],
      ['an endless answer', 'invalid_jwks', { body: `{"keys":[${' '.repeat(100_000)}]}` }],
      ['a private key', 'invalid_jwks', { body: JSON.stringify({ keys: [{ ...jwks.keys[0], d: 'AAAA' }] }) }],
      [
        'a symmetric key',
        'invalid_jwks',
        { body: JSON.stringify({ keys: [{ kty: 'oct', kid: 'k', k: 'AAAA' }] }) },
      ],
    ],
    [tearDown],
  )('keys that cannot be had are an error, not a verdict about the receipt', async (_, code, answer) => {
    const { url } = await serving(() => answer)
    await expect(verifyReceipt(good, { ...at, jwks: url })).rejects.toMatchObject({ code })
  })

  test('an address where nobody listens is unavailable', async () => {
    await expect(verifyReceipt(good, { ...at, jwks: 'http://127.0.0.1:9/keys' })).rejects.toMatchObject({
      code: 'jwks_unavailable',
    })
  })

  test.each(['http://gate.example.com/keys', 'file:///etc/passwd', 'data:application/json,{}', 'keys.json'])(
    '%s is not asked: anyone on the way could answer, or nobody',
    async (address) => {
      await expect(verifyReceipt(good, { ...at, jwks: address })).rejects.toThrow(/https|Invalid URL/)
    },
  )
})

import { expect, test } from '@jest/globals'
import { constants, createHmac, createPublicKey, sign } from 'node:crypto'
import { connectorKey, connectorToken, publicJwk } from '../../dev/sandbox/teams/bot-keys.ts'
import { microsoft, standIn } from '../../src/providers/teams-bot/place.ts'
import { botTokens } from '../../src/providers/teams-bot/tokens.ts'
import { testRows } from '../support/rows.ts'

const call = { app: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee', serviceUrl: microsoft.serviceUrl }
const [first, second] = [connectorKey('one'), connectorKey('two')]
const place = { metadataUrl: 'https://login.example/v1/.well-known/openidconfiguration' }
const jwksUri = 'https://login.example/v1/.well-known/keys'

/** Where the keys are, how often they were read, and a clock. */
function world(keys: unknown[], metadata: unknown = { jwks_uri: jwksUri }) {
  const state = { keys, reads: 0, at: Date.now(), isDown: false }
  const tokens = botTokens(
    place,
    async (url) => {
      if (state.isDown) throw new Error('down')
      if (url === place.metadataUrl) return metadata
      state.reads += 1
      return { keys: state.keys }
    },
    () => state.at,
  )
  return { ...tokens, state }
}

const problemOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: { code: string }) => error.code,
  )

test('a call is verified with the key that Microsoft endorses for Teams, which is read once', async () => {
  const { verify, state } = world([publicJwk(first, ['msteams'])])
  const read = { appId: call.app, serviceUrl: call.serviceUrl }
  expect(
    await Promise.all([verify(connectorToken(first, call)), verify(connectorToken(first, call))]),
  ).toEqual([read, read])
  expect(state.reads).toBe(1)
})

testRows<[string, string[] | undefined]>([
  ['other channels', ['webchat', 'skype']],
  ['no channel', []],
  ['nothing', undefined],
])('a key that is endorsed for %s signs nothing', async (_, endorsements) => {
  const { verify } = world([publicJwk(first, endorsements)])
  expect(await problemOf(verify(connectorToken(first, call)))).toBe('err_jwks_no_matching_key')
})

test('a flood of unknown keys has the keys read again once a minute, and a known key goes on', async () => {
  const { verify, state } = world([publicJwk(first, ['msteams'])])
  await verify(connectorToken(first, call))
  state.at += 61_000
  const flood = Array.from({ length: 200 }, (_, n) =>
    problemOf(verify(connectorToken({ ...second, kid: `unknown-${n}` }, call))),
  )
  expect(new Set(await Promise.all(flood))).toEqual(new Set(['err_jwks_no_matching_key']))
  expect(state.reads).toBe(2)
  await verify(connectorToken(first, call))
  // A key that is new is known after the next reading.
  state.keys = [publicJwk(second, ['msteams'])]
  expect(await problemOf(verify(connectorToken(second, call)))).toBe('err_jwks_no_matching_key')
  state.at += 61_000
  expect(await problemOf(verify(connectorToken(second, call)))).toBe('none')
  expect(await problemOf(verify(connectorToken(first, call)))).toBe('err_jwks_no_matching_key')
  expect(state.reads).toBe(3)
})

test('keys that cannot be read: nothing is verified before they were, known ones stay good', async () => {
  const { verify, state } = world([publicJwk(first, ['msteams'])])
  state.isDown = true
  expect(await problemOf(verify(connectorToken(first, call)))).toBe('unavailable')
  state.isDown = false
  expect(await problemOf(verify(connectorToken(first, call)))).toBe('unavailable')
  state.at += 5_000
  expect(await problemOf(verify(connectorToken(first, call)))).toBe('none')
  state.isDown = true
  state.at += 86_400_001
  const later = { claims: { nbf: Math.floor(state.at / 1_000), exp: Math.floor(state.at / 1_000) + 60 } }
  expect(await problemOf(verify(connectorToken(first, call, later)))).toBe('none')
})

testRows<[string, unknown]>([
  ['another host', { jwks_uri: 'https://elsewhere.example/keys' }],
  ['nothing', {}],
  ['no address', { jwks_uri: 'keys' }],
])('metadata that name %s for the keys are not followed', async (_, metadata) => {
  const { verify, state } = world([publicJwk(first, ['msteams'])], metadata)
  expect(await problemOf(verify(connectorToken(first, call)))).toBe('unavailable')
  expect(state.reads).toBe(0)
})

test('the clocks may differ by five minutes', async () => {
  const { verify, state } = world([publicJwk(first, ['msteams'])])
  const seconds = Math.floor(state.at / 1_000)
  const at = (claims: object) => problemOf(verify(connectorToken(first, call, { claims: { ...claims } })))
  expect(await at({ exp: seconds - 290 })).toBe('none')
  expect(await at({ exp: seconds - 310 })).toBe('claim_exp')
  expect(await at({ nbf: seconds + 290 })).toBe('none')
  expect(await at({ nbf: seconds + 310 })).toBe('claim_nbf')
})

test('no token is good that is signed with the public key as a secret, or not at all', async () => {
  const { verify } = world([publicJwk(first, ['msteams'])])
  const pem = createPublicKey(first.privateKey).export({ type: 'spki', format: 'pem' })
  const [head, body] = connectorToken(first, call, { header: { alg: 'HS256' } }).split('.')
  const mac = createHmac('sha256', pem).update(`${head}.${body}`).digest('base64url')
  expect(await problemOf(verify(`${head}.${body}.${mac}`))).toBe('err_jose_alg_not_allowed')
  const [none, same] = connectorToken(first, call, { header: { alg: 'none' } }).split('.')
  expect(await problemOf(verify(`${none}.${same}.`))).toBe('err_jose_alg_not_allowed')
})

testRows<[string, string, number]>([
  ['RS384', 'sha384', constants.RSA_PKCS1_PADDING],
  ['RS512', 'sha512', constants.RSA_PKCS1_PADDING],
  ['PS256', 'sha256', constants.RSA_PKCS1_PSS_PADDING],
])('the right key signs nothing as %s', async (alg, hash, padding) => {
  const { verify } = world([publicJwk(first, ['msteams'])])
  const text = connectorToken(first, call, { header: { alg } }).split('.').slice(0, 2).join('.')
  const salt = padding === constants.RSA_PKCS1_PSS_PADDING ? { saltLength: 32 } : {}
  const signature = sign(hash, Buffer.from(text), { key: first.privateKey, padding, ...salt })
  expect(await problemOf(verify(`${text}.${signature.toString('base64url')}`))).toBe(
    'err_jose_alg_not_allowed',
  )
})

testRows<[string, Record<string, unknown>]>([
  ['claim_iss', { iss: 'https://sts.windows.net/x/' }],
  ['claim_iss', { iss: undefined }],
  ['claim_exp', { exp: undefined }],
  ['claim_nbf', { nbf: undefined }],
  ['claim_aud', { aud: undefined }],
  ['claims', { aud: [call.app, 'another'] }],
  ['claims', { serviceurl: undefined }],
  ['claims', { serviceurl: 7 }],
])('a claim is missing or of another form: %s', async (problem, claims) => {
  const { verify } = world([publicJwk(first, ['msteams'])])
  expect(await problemOf(verify(connectorToken(first, call, { claims })))).toBe(problem)
})

test('keys without a name, too many keys and a token that is too long are not read', async () => {
  const { kid: _, ...nameless } = publicJwk(first, ['msteams'])
  const code = (keys: unknown[], token = connectorToken(first, call)) => problemOf(world(keys).verify(token))
  expect(await code([nameless])).toBe('err_jwks_no_matching_key')
  const unnamed = connectorToken(first, call, { header: { kid: undefined } })
  expect(await code([nameless], unnamed)).toBe('err_jwks_no_matching_key')
  const known = publicJwk(first, ['msteams'])
  expect(await code(Array.from({ length: 100 }, () => known))).not.toBe('unavailable')
  expect(await code(Array.from({ length: 101 }, () => known))).toBe('unavailable')
  const long = connectorToken(first, call, { claims: { more: 'x'.repeat(8_192) } })
  expect(await code([known], long)).toBe('too_long')
})

test('a key that Microsoft withdraws is good for a day', async () => {
  const { verify, state } = world([publicJwk(first, ['msteams'])])
  await verify(connectorToken(first, call))
  state.keys = [publicJwk(second, ['msteams'])]
  const inTime = () => {
    const seconds = Math.floor(state.at / 1_000)
    return verify(connectorToken(first, call, { claims: { nbf: seconds, exp: seconds + 60 } }))
  }
  state.at += 86_399_000
  expect(await problemOf(inTime())).toBe('none')
  state.at += 2_000
  expect(await problemOf(inTime())).toBe('err_jwks_no_matching_key')
})

test('only the service of the commercial cloud may call, and only the whole stand-in', () => {
  expect(microsoft.isService('https://smba.trafficmanager.net/emea/')).toBe(true)
  for (const url of [
    'https://smba.trafficmanager.net.evil.example/teams/',
    'http://smba.trafficmanager.net/teams/',
    'https://evil.example/smba.trafficmanager.net/',
    'https://smba.trafficmanager.net:8443/teams/',
    'not an address',
  ])
    expect(microsoft.isService(url)).toBe(false)
  const { isService } = standIn('http://127.0.0.1:4000')
  expect([
    isService('http://127.0.0.1:4000/teams-bot/service/'),
    isService('http://127.0.0.1:4000/'),
  ]).toEqual([true, false])
})

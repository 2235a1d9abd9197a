// `node packages/receipts/vectors/make.js`: writes receipts.json. The keys are fixed and for tests alone; Ed25519 has no random
// part, so that the file is always the same. Then run `npm run format`.
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { canonical } from '../lib/canonical.js'

/** @param {string} seed */
function testKey(seed) {
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    createHash('sha256').update(seed).digest(),
  ])
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const x = String(createPublicKey(privateKey).export({ format: 'jwk' }).x)
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
  return { kid, privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } }
}

const key = testKey('qualification-gate receipts: the key in use')
const former = testKey('qualification-gate receipts: a key that is published, but was replaced')
const strange = testKey('qualification-gate receipts: a key that is not published')
export const jwks = { keys: [former.jwk, key.jwk] }

export const payload = {
  payment: 'pi_3Lunch',
  amount_cents: 4500,
  currency: 'usd',
  note: 'Café, 2 × “lunch” €\u0001',
  lines: [1, 1e-7, 0.1],
}
const claims = {
  iss: 'https://gate.example.com',
  sub: 'mem_0a1B2c3D4e5F6g7H',
  account: 'acct_0a1B2c3D4e5F6g7H',
  action: 23,
  uuid: '0190c7f0-6c1e-4b7e-9d57-1f2f3a4b5c6d',
  kind: 'refund',
  digest: createHash('sha256').update('what the member consented to').digest('hex'),
  payload_sha256: createHash('sha256').update(canonical(payload)).digest('hex'),
  consent: {
    strength: 'chat',
    by: 'ada@example.com',
    at: '2026-11-23T12:00:00.123Z',
    channel: 'slack',
    display_sha256: createHash('sha256').update('the card').digest('hex'),
  },
  tier: 'write',
  policy_version: 4,
  iat: 1795435200,
  exp: 1795435200 + 30 * 86_400,
  jti: '5f0e3c1d-8a7b-5c6d-9e8f-7a6b5c4d3e2f',
}
const now = '2026-11-23T12:05:00.000Z'
const demands = {
  issuer: claims.iss,
  account: claims.account,
  kind: claims.kind,
  payload,
  maxAge: 900,
  minStrength: 'chat',
}

/** @param {unknown} value */
const encoded = (value) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/**
 * @param {object} [said]  claims that differ
 * @param {object} [head]  members of the header that differ
 */
export function receiptOf(said = {}, head = {}, by = key) {
  const header = { alg: 'EdDSA', typ: 'gate-receipt+jwt', kid: by.kid, ...head }
  return signed(`${encoded(header)}.${encoded({ ...claims, ...said })}`, by)
}

const signed = (/** @type {string} */ text, by = key) =>
  `${text}.${sign(null, Buffer.from(text), by.privateKey).toString('base64url')}`

const good = receiptOf()
const [head, body, signature] = /** @type {[string, string, string]} */ (good.split('.'))
const hmac = (/** @type {string} */ text) =>
  `${text}.${createHash('sha256')
    .update(key.jwk.x + text)
    .digest('base64url')}`
/** The same bytes in another text: the last character of a signature has four bits that no decoder needs. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const unusedBit =
  signature.slice(0, -1) + alphabet[alphabet.indexOf(/** @type {string} */ (signature.at(-1))) + 1]
const later = (/** @type {number} */ seconds) => new Date((claims.iat + seconds) * 1_000).toISOString()

/** @type {{ name: string, code: string | null, receipt: string, options?: object, jwks?: object, now?: string }[]} */
const vectors = [
  { name: 'a receipt', code: null, receipt: good },
  { name: 'nothing is demanded', code: null, receipt: good, options: {} },
  {
    name: 'a receipt of a key that was replaced and is still published',
    code: null,
    receipt: receiptOf({}, {}, former),
  },
  {
    name: 'a stronger consent than demanded',
    code: null,
    receipt: receiptOf({ consent: { ...claims.consent, strength: 'page' } }),
  },
  {
    name: 'no card was shown',
    code: null,
    receipt: receiptOf({
      consent: { strength: 'agent_attested', by: 'ada@example.com', at: claims.consent.at, channel: 'api' },
    }),
    options: { ...demands, minStrength: 'agent_attested' },
  },
  {
    name: 'the payload with its members in another order',
    code: null,
    receipt: good,
    options: { ...demands, payload: Object.fromEntries(Object.entries(payload).reverse()) },
  },
  { name: 'a claim that is not known', code: null, receipt: receiptOf({ more: true }) },
  { name: 'the last second', code: null, receipt: good, options: {}, now: later(30 * 86_400 - 1) },

  {
    name: 'a changed payload',
    code: 'wrong_payload',
    receipt: good,
    options: { ...demands, payload: { ...payload, amount_cents: 4501 } },
  },
  {
    name: 'a payload with a member more',
    code: 'wrong_payload',
    receipt: good,
    options: { ...demands, payload: { ...payload, more: null } },
  },
  {
    name: 'a payload with a number that is read from another one, too: it is not hashed',
    code: 'wrong_payload',
    receipt: receiptOf({
      payload_sha256: createHash('sha256')
        .update(canonical({ id: 2 ** 53 }))
        .digest('hex'),
    }),
    options: { ...demands, payload: { id: 2 ** 53 } },
  },
  {
    name: 'a payload with text for a number',
    code: 'wrong_payload',
    receipt: good,
    options: { ...demands, payload: { ...payload, amount_cents: '4500' } },
  },
  {
    name: 'another account',
    code: 'wrong_account',
    receipt: good,
    options: { ...demands, account: 'acct_0000000000000000' },
  },
  { name: 'another kind', code: 'wrong_kind', receipt: good, options: { ...demands, kind: 'payout' } },
  {
    name: 'another issuer',
    code: 'wrong_issuer',
    receipt: good,
    options: { ...demands, issuer: 'https://gate.example.org' },
  },
  {
    name: 'the issuer with a slash',
    code: 'wrong_issuer',
    receipt: good,
    options: { ...demands, issuer: 'https://gate.example.com/' },
  },
  { name: 'expired', code: 'expired', receipt: good, options: {}, now: later(30 * 86_400) },
  { name: 'older than demanded', code: 'too_old', receipt: good, now: later(901) },
  { name: 'of the future', code: 'issued_in_future', receipt: good, now: later(-61) },
  { name: 'too weak', code: 'too_weak', receipt: good, options: { ...demands, minStrength: 'page' } },
  {
    name: 'a strength that is not known',
    code: 'too_weak',
    receipt: receiptOf({ consent: { ...claims.consent, strength: 'telepathy' } }),
  },
  { name: 'without expiry', code: 'no_expiry', receipt: receiptOf({ exp: undefined }) },
  { name: 'an expiry that is text', code: 'no_expiry', receipt: receiptOf({ exp: '1798027200' }) },
  { name: 'without a member', code: 'malformed', receipt: receiptOf({ sub: undefined }) },
  { name: 'without a consent', code: 'malformed', receipt: receiptOf({ consent: undefined }) },
  { name: 'without a time', code: 'malformed', receipt: receiptOf({ iat: undefined }) },

  { name: 'another type', code: 'wrong_type', receipt: receiptOf({}, { typ: 'JWT' }) },
  { name: 'without a type', code: 'wrong_type', receipt: receiptOf({}, { typ: undefined }) },
  {
    name: 'alg none without a signature',
    code: 'wrong_algorithm',
    receipt: `${encoded({ alg: 'none', typ: 'gate-receipt+jwt', kid: key.kid })}.${body}.`,
  },
  { name: 'alg none with a signature', code: 'wrong_algorithm', receipt: receiptOf({}, { alg: 'none' }) },
  {
    name: 'the public key as the secret of HS256',
    code: 'wrong_algorithm',
    receipt: hmac(`${encoded({ alg: 'HS256', typ: 'gate-receipt+jwt', kid: key.kid })}.${body}`),
  },
  { name: 'ES256', code: 'wrong_algorithm', receipt: receiptOf({}, { alg: 'ES256' }) },
  { name: 'a key that is not published', code: 'unknown_key', receipt: receiptOf({}, {}, strange) },
  {
    name: 'a key that left the published set',
    code: 'unknown_key',
    receipt: receiptOf({}, {}, former),
    jwks: { keys: [key.jwk] },
  },
  {
    name: 'signed by a strange key under the name of a published one',
    code: 'wrong_signature',
    receipt: receiptOf({}, { kid: key.kid }, strange),
  },
  {
    name: 'signed by a published key under the name of another',
    code: 'wrong_signature',
    receipt: receiptOf({}, { kid: former.kid }),
  },
  {
    name: 'a key of its own in the header',
    code: 'wrong_signature',
    receipt: receiptOf({}, { kid: key.kid, jwk: strange.jwk }, strange),
  },
  {
    name: 'an address of keys in the header',
    code: 'unknown_key',
    receipt: receiptOf({}, { jku: 'https://evil.example/jwks.json' }, strange),
  },
  { name: 'without the name of a key', code: 'malformed', receipt: receiptOf({}, { kid: undefined }) },
  {
    name: 'an extension that must be understood',
    code: 'malformed',
    receipt: receiptOf({}, { crit: ['b64'], b64: false }),
  },
  {
    name: 'changed claims',
    code: 'wrong_signature',
    receipt: `${head}.${encoded({ ...claims, account: 'acct_0000000000000000' })}.${signature}`,
  },
  {
    name: 'a signature of another receipt',
    code: 'wrong_signature',
    receipt: `${head}.${body}.${receiptOf({ action: 24 }).split('.')[2]}`,
  },
  { name: 'an empty signature', code: 'wrong_signature', receipt: `${head}.${body}.` },
  { name: 'the same signature in another text', code: 'malformed', receipt: `${head}.${body}.${unusedBit}` },
  { name: 'padding', code: 'malformed', receipt: `${good}==` },
  { name: 'a line end', code: 'malformed', receipt: `${good}\n` },
  { name: 'two parts', code: 'malformed', receipt: `${head}.${body}` },
  { name: 'four parts', code: 'malformed', receipt: `${good}.` },
  { name: 'no text at all', code: 'malformed', receipt: '' },
  { name: 'a header that is no object', code: 'malformed', receipt: signed(`${encoded('[]')}.${body}`) },
  { name: 'claims that are no object', code: 'malformed', receipt: signed(`${head}.${encoded('"text"')}`) },
  { name: 'too long', code: 'too_long', receipt: receiptOf({ more: 'x'.repeat(8_192) }) },

  {
    name: 'a private key among the keys',
    code: 'invalid_jwks',
    receipt: good,
    jwks: { keys: [{ ...key.jwk, d: key.privateKey.export({ format: 'jwk' }).d }] },
  },
  {
    name: 'a symmetric key among the keys',
    code: 'invalid_jwks',
    receipt: good,
    jwks: { keys: [key.jwk, { kty: 'oct', kid: 'shared', k: encoded('secret') }] },
  },
  {
    name: 'a key without a name',
    code: 'invalid_jwks',
    receipt: good,
    jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: key.jwk.x }] },
  },
  {
    name: 'two keys of one name',
    code: 'invalid_jwks',
    receipt: good,
    jwks: { keys: [key.jwk, { ...strange.jwk, kid: key.kid }] },
  },
  { name: 'no keys', code: 'unknown_key', receipt: good, jwks: { keys: [] } },
  {
    name: 'more keys than a gate has',
    code: 'invalid_jwks',
    receipt: good,
    jwks: { keys: Array.from({ length: 101 }, () => key.jwk) },
  },
  { name: 'no set of keys', code: 'invalid_jwks', receipt: good, jwks: { key: key.jwk } },
]

/** What receipts.json holds. */
export const made = {
  about:
    'Receipts of the Qualification Gate for tests of verifiers. Each vector is verified with its `options`, `jwks` and `now`, or those below. `code`: why it is refused; null: it is valid.',
  jwks,
  now,
  options: demands,
  canonical: { value: payload, text: canonical(payload), sha256: claims.payload_sha256 },
  vectors,
}
if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('receipts.json', import.meta.url), `${JSON.stringify(made, null, 2)}\n`)

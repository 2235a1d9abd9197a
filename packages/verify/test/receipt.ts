import { type KeyObject, generateKeyPairSync, sign } from 'node:crypto'
import { sha } from './log.ts'

export const jwkOf = (key: KeyObject, kid: string) => ({
  ...key.export({ format: 'jwk' }),
  kid,
  use: 'sig',
  alg: 'EdDSA',
})

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Receipts of a gate with two keys, of which the second signs. They are of this moment, and last a day. */
export function newReceipts(at: Date) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const other = generateKeyPairSync('ed25519')
  const payload = { amount_cents: 900, payment: 'pi_1', reason: 'Grüße' }
  const iat = Math.floor(at.getTime() / 1_000)
  const claims = {
    iss: 'https://gate.example.com',
    sub: 'mem_0123456789abcdef',
    account: 'acct_0123456789ABCDEF',
    action: 5,
    uuid: '0199d1a0-0000-7000-8000-000000000000',
    kind: 'refund',
    digest: 'ab'.repeat(32),
    payload_sha256: sha(JSON.stringify(payload)).toString('hex'),
    consent: { strength: 'chat', by: 'grace@example.com', at: at.toISOString(), channel: 'slack' },
    tier: 'write',
    policy_version: 1,
    iat,
    exp: iat + 86_400,
    jti: '0199d1a0-0000-5000-8000-000000000000',
  }
  const header = { alg: 'EdDSA', typ: 'gate-receipt+jwt', kid: 'k1' }
  return {
    publicKey,
    other,
    payload,
    claims,
    jwks: JSON.stringify({ keys: [jwkOf(other.publicKey, 'k0'), jwkOf(publicKey, 'k1')] }),
    receipt(change: object = {}, head: object = {}, key = privateKey): string {
      const text = `${part({ ...header, ...head })}.${part({ ...claims, ...change })}`
      return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
    },
  }
}

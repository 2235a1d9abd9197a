import { createHash, randomBytes } from 'node:crypto'
import { type Circumstances, testPasskey } from '../../../test/support/authenticator.ts'

/** An entry to be appended. */
export type Made = [kind: string, action: number | null, data: object, actor?: string]

const origin = 'https://gate.example.com'
export const member = 'mem_0123456789abcdef'
export const digest = 'ab'.repeat(32)
export const card = 'cd'.repeat(32)

/** What is signed, written from the README alone. */
function challengeOf(
  decision: number,
  { nonce, about = digest, shown = card }: Record<string, string>,
): Buffer {
  const hash = createHash('sha256').update('qualification-gate/consent/v1\0')
  hash.update(Buffer.from(about!, 'hex')).update(Buffer.of(decision))
  return hash.update(Buffer.from(shown!, 'hex')).update(Buffer.from(nonce!, 'hex')).digest()
}

interface Signing {
  how?: Partial<Circumstances>
  decision?: number
  about?: string
  shown?: string
}

/** A passkey, and the data of entries about it. */
export function holder(algorithm: 'ES256' | 'Ed25519' | 'RS256' = 'ES256') {
  const key = testPasskey({ origin, algorithm })
  const known = {
    passkey: 'pk_0123456789abcdef',
    credential: key.credential.toString('hex'),
    public_key: key.publicKey.toString('hex'),
  }
  const evidence = ({ how = {}, decision = 1, ...signed }: Signing = {}) => {
    const nonce = randomBytes(32).toString('hex')
    const made = key.assert(challengeOf(decision, { nonce, ...signed }), how)
    return {
      ...known,
      device_bound: how.isSynced !== true,
      client_data: made.clientData,
      authenticator_data: made.authenticatorData.toString('hex'),
      signature: made.signature.toString('hex'),
      nonce,
      digest: signed.about ?? digest,
    }
  }
  return { known, evidence }
}

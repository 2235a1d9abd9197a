import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A passkey in memory: it signs what a browser would have it sign. */
export interface TestPasskey {
  credential: Buffer
  publicKey: Buffer
  /** What it made at its registration, in base64url. */
  register(
    challenge: Buffer,
    changes?: Partial<Circumstances>,
  ): {
    credential: string
    client_data: string
    attestation: string
    transports: string
  }
  assert(challenge: Buffer, changes?: Partial<Circumstances>): TestAssertion
}

export interface TestAssertion {
  credential: Buffer
  clientData: string
  authenticatorData: Buffer
  signature: Buffer
}

/** Where and how it is used. */
export interface Circumstances {
  origin: string
  rpId: string
  isVerified: boolean
  isPresent: boolean
  isSynced: boolean
  counter: number
  client: Record<string, unknown>
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

export function testPasskey(
  {
    origin = 'http://localhost',
    algorithm = 'ES256',
  }: { origin?: string; algorithm?: keyof typeof makes } = {},
  always: Partial<Circumstances> = {},
): TestPasskey {
  const credential = randomBytes(32)
  const { privateKey, publicKey } = makes[algorithm]()
  const usual = (changes: Partial<Circumstances>): Circumstances => ({
    origin,
    rpId: new URL(changes.origin ?? origin).hostname,
    isVerified: true,
    isPresent: true,
    isSynced: false,
    counter: 0,
    client: {},
    ...always,
    ...changes,
  })
  const clientOf = (type: string, challenge: Buffer, { origin, client }: Circumstances) =>
    JSON.stringify({
      type,
      challenge: challenge.toString('base64url'),
      origin,
      crossOrigin: false,
      ...client,
    })
  const dataOf = (how: Circumstances, flags = 0) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(how.counter)
    const all = flags | (how.isPresent ? 1 : 0) | (how.isVerified ? 4 : 0) | (how.isSynced ? 8 | 16 : 0)
    return Buffer.concat([sha256(how.rpId), Buffer.of(all), counter])
  }
  return {
    credential,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    register(challenge, changes = {}) {
      const how = usual(changes)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credential.length)
      const data = Buffer.concat([
        dataOf(how, 64),
        Buffer.alloc(16),
        length,
        credential,
        coseOf(publicKey.export({ format: 'jwk' })),
      ])
      const attestation = map([
        [text('fmt'), text('none')],
        [text('attStmt'), map([])],
        [text('authData'), bytes(data)],
      ])
      return {
        credential: credential.toString('base64url'),
        client_data: Buffer.from(clientOf('webauthn.create', challenge, how)).toString('base64url'),
        attestation: attestation.toString('base64url'),
        transports: 'internal',
      }
    },
    assert(challenge, changes = {}) {
      const how = usual(changes)
      const clientData = clientOf('webauthn.get', challenge, how)
      const authenticatorData = dataOf(how)
      const signed = Buffer.concat([authenticatorData, sha256(clientData)])
      const signature = sign(algorithm === 'Ed25519' ? null : 'sha256', signed, privateKey)
      return { credential, clientData, authenticatorData, signature }
    },
  }
}

const makes = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  Ed25519: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

// ---- CBOR of a few forms, RFC 8949

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value)
  if (value < 256) return Buffer.of((major << 5) | 24, value)
  return Buffer.of((major << 5) | 25, value >> 8, value & 255)
}
const int = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const text = (value: string) => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])
const map = (entries: [Buffer, Buffer][]) => Buffer.concat([head(5, entries.length), ...entries.flat()])

function coseOf(jwk: { kty?: string; x?: string; y?: string; n?: string; e?: string }): Buffer {
  const part = (value: string | undefined) => bytes(Buffer.from(value!, 'base64url'))
  if (jwk.kty === 'EC')
    return map([
      [int(1), int(2)],
      [int(3), int(-7)],
      [int(-1), int(1)],
      [int(-2), part(jwk.x)],
      [int(-3), part(jwk.y)],
    ])
  if (jwk.kty === 'OKP')
    return map([
      [int(1), int(1)],
      [int(3), int(-8)],
      [int(-1), int(6)],
      [int(-2), part(jwk.x)],
    ])
  return map([
    [int(1), int(3)],
    [int(3), int(-257)],
    [int(-1), part(jwk.n)],
    [int(-2), part(jwk.e)],
  ])
}

import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import { type JsonWebKey, createPublicKey } from 'node:crypto'

/** The algorithms that a passkey may sign with: ECDSA on P-256, Ed25519, RSA with SHA-256. @source RFC 9053, RFC 8812 */
export const supportedAlgorithms = [-7, -8, -257] as const

/** A COSE key as a SubjectPublicKeyInfo; undefined where it is of another algorithm. Pure. @source RFC 9053, section 7 */
export function publicKeyOfCose(cose: Uint8Array<ArrayBuffer>): Buffer | undefined {
  const fields = decodeCredentialPublicKey(cose) as unknown as Map<number, unknown>
  const text = (label: number): string => Buffer.from(fields.get(label) as Uint8Array).toString('base64url')
  const jwk = jwkOf(fields, text)
  return jwk && createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' })
}

function jwkOf(fields: Map<number, unknown>, text: (label: number) => string): JsonWebKey | undefined {
  const curve = fields.get(-1)
  switch (fields.get(3)) {
    case -7:
      return curve === 1 ? { kty: 'EC', crv: 'P-256', x: text(-2), y: text(-3) } : undefined
    case -8:
      return curve === 6 ? { kty: 'OKP', crv: 'Ed25519', x: text(-2) } : undefined
    case -257:
      return { kty: 'RSA', n: text(-1), e: text(-2) }
    default:
      return undefined
  }
}

import { createPublicKey, verify } from 'node:crypto'
import { exactJsonOrUndefined } from '../../gate/json/exact-json.ts'
import { sha256 } from '../digest.ts'

/** What a passkey signed, in an entry and in a receipt. All but `client_data` and `device_bound` in hex. */
export interface PasskeyEvidence {
  /** Its id in the account. */
  passkey: string
  /** It cannot leave the device that made it; else it is synced. */
  device_bound: boolean
  credential: string
  /** A SubjectPublicKeyInfo. */
  public_key: string
  /** The JSON text of the browser. */
  client_data: string
  authenticator_data: string
  signature: string
  /** The number that the gate made for it. */
  nonce: string
  /** The digest of the action that was consented to. */
  digest: string
}

/** What a passkey must have signed. Hashes are hex. */
export interface SignedDecision {
  digest: string
  decision: 'confirm' | 'decline'
  card: string
  nonce: string
}

/**
 * What a passkey is asked to sign: SHA-256 over the tag, the action's digest, a byte for the decision, the hash of the card and the
 * number. Pure.
 * @source docs/passkeys.md#what-is-signed
 */
export const consentChallenge = ({ digest, decision, card, nonce }: SignedDecision): Buffer =>
  sha256(
    Buffer.from('qualification-gate/consent/v1\0'),
    Buffer.from(digest, 'hex'),
    Buffer.of(decision === 'confirm' ? 1 : 0),
    Buffer.from(card, 'hex'),
    Buffer.from(nonce, 'hex'),
  )

/** A signature of a passkey as the browser gave it. */
export interface Assertion {
  publicKey: Buffer
  clientData: string
  authenticatorData: Buffer
  signature: Buffer
}

/**
 * Why an assertion does not hold; null if it does. The relying party is the host of the page: no parent domain. Pure.
 * @source Web Authentication Level 3, 7.2. Verifying an Authentication Assertion
 */
export function assertionProblem(given: Assertion, challenge: Buffer): string | null {
  const { clientData, authenticatorData: data, signature, publicKey } = given
  const client = clientIn(clientData)
  if (!client) return 'its client data is not that of a browser'
  if (client.type !== 'webauthn.get') return 'it was not made to decide'
  if (client.challenge !== challenge.toString('base64url')) return 'it signs another decision'
  if (client.crossOrigin === true || client.topOrigin !== undefined) return 'it was made inside another site'
  if (data.length < shortestData) return 'its authenticator data is cut'
  if (!sha256(hostOf(client.origin)).equals(data.subarray(0, 32))) return 'it is of another site'
  const flags = data[32]!
  if ((flags & flag.present) === 0) return 'nobody was present'
  if ((flags & flag.verified) === 0) return 'its user was not verified'
  return isSigned(publicKey, Buffer.concat([data, sha256(clientData)]), signature)
    ? null
    : 'its signature does not match'
}

/** Why the evidence of a consent does not prove it; null if it does. Pure. */
export function evidenceProblem(
  evidence: PasskeyEvidence,
  decision: Omit<SignedDecision, 'nonce'>,
): string | null {
  const { nonce, digest, device_bound: isBound } = evidence
  if (digest !== decision.digest) return 'it is about another digest'
  const bytesOf = (name: 'public_key' | 'authenticator_data' | 'signature') =>
    Buffer.from(evidence[name], 'hex')
  const authenticatorData = bytesOf('authenticator_data')
  const assertion = {
    publicKey: bytesOf('public_key'),
    clientData: evidence.client_data,
    authenticatorData,
    signature: bytesOf('signature'),
  }
  const problem = assertionProblem(assertion, consentChallenge({ ...decision, nonce }))
  if (problem !== null) return problem
  return isDeviceBound(authenticatorData) === isBound
    ? null
    : 'whether the passkey is bound to a device is not what it signed'
}

/** The evidence in the data of an entry or a receipt; undefined if it is not in its form. Pure. */
export function evidenceIn(value: unknown): PasskeyEvidence | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const given = value as Record<string, unknown>
  const isWhole =
    typeof given['passkey'] === 'string' &&
    typeof given['device_bound'] === 'boolean' &&
    typeof given['client_data'] === 'string' &&
    hexFields.every(
      (name) => typeof given[name] === 'string' && /^(?:[0-9a-f]{2}){1,1100}$/.test(given[name]),
    )
  return isWhole ? (value as PasskeyEvidence) : undefined
}

const hexFields = ['credential', 'public_key', 'authenticator_data', 'signature', 'nonce', 'digest'] as const

/** Whether a passkey cannot be copied to other devices, by what its authenticator says. Pure. */
export const isDeviceBound = (authenticatorData: Buffer): boolean =>
  (authenticatorData[32]! & flag.backupEligible) === 0

/** The counter of a passkey. 0 for ever where it is synced. Pure. */
export const counterOf = (authenticatorData: Buffer): number => authenticatorData.readUInt32BE(33)

const shortestData = 37
const flag = { present: 1, verified: 4, backupEligible: 8 }

interface ClientData {
  type: unknown
  challenge: unknown
  origin: string
  crossOrigin?: unknown
  topOrigin?: unknown
}

function clientIn(text: string): ClientData | undefined {
  const value = exactJsonOrUndefined(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { origin } = value as Record<string, unknown>
  return typeof origin === 'string' && URL.canParse(origin) ? (value as unknown as ClientData) : undefined
}

/** The origin that made an assertion; undefined where its client data cannot be read. Pure. */
export const originOf = (clientData: string): string | undefined => clientIn(clientData)?.origin

const hostOf = (origin: string): string => new URL(origin).hostname

// Elliptic curve and RSA keys sign with SHA-256, Ed25519 by itself. Other keys are not registered.
function isSigned(publicKey: Buffer, data: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' })
    const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return verify(hash, data, key, signature)
  } catch {
    return false
  }
}

/** The ways a member consents, weakest first. */
export type ConsentStrength = 'agent_attested' | 'client_attested' | 'chat' | 'page' | 'passkey'

/** What a receipt says. */
export interface Receipt {
  /** The gate: the origin of its address. */
  iss: string
  /** Id of the member for whom the action was proposed. */
  sub: string
  /** Id of the account. */
  account: string
  /** Number of the action in its account. */
  action: number
  /** Id of the action across accounts. */
  uuid: string
  kind: string
  /** Hex SHA-256 of what the member consented to. */
  digest: string
  /** Hex SHA-256 of the payload in its RFC 8785 form. */
  payload_sha256: string
  consent: {
    strength: ConsentStrength
    /** Who consented, as the gate names them: an e-mail address, `slack:U…` or `admin:` and an address. */
    by: string
    /** ISO 8601, UTC, milliseconds. */
    at: string
    /** `api`, `mcp`, `slack`, `email` or `console`. */
    channel: string
    /** Hex SHA-256 of the card that was shown; absent where the gate showed none. */
    display_sha256?: string
    /** How many others approved it, where the policy asked for that. */
    approvals?: number
    /** What the member's passkey signed; absent where none did. `packages/verify` checks it. */
    passkey?: Record<string, string | boolean>
  }
  /** The member's tier, and the version of the account's policy, at the consent. */
  tier: 'read_only' | 'guarded_write' | 'write'
  policy_version: number
  /** Seconds since 1970: when the consent was given, and when the receipt can no longer be used. */
  iat: number
  exp: number
  /** Id of the consent: the same in every receipt of it. */
  jti: string
}

/** A public key of the gate. */
export interface Jwk {
  kty: string
  kid?: string
  crv?: string
  x?: string
  use?: string
  alg?: string
}

export interface VerifyOptions {
  /**
   * The gate's keys: their address (`https://GATE/.well-known/gate-receipts.json`), or the keys themselves. From an address
   * they are fetched once, kept for 10 minutes, and fetched again for an unknown key.
   */
  jwks: string | URL | { keys: readonly Jwk[] }
  /** The gate that you trust: the origin of its address. */
  issuer?: string
  /** The account that you act for. */
  account?: string
  /** What you do: the kind of the action. */
  kind?: string
  /** What you are about to do, as JSON: it must be what the member consented to. */
  payload?: unknown
  /** How old the consent may be: seconds, or a number with `s`, `m`, `h` or `d`, such as `15m`. */
  maxAge?: number | string
  /** The weakest consent that suffices. */
  minStrength?: ConsentStrength
  /** The time to verify at. Default: now. */
  now?: Date
}

export type ReceiptErrorCode =
  | 'too_long'
  | 'malformed'
  | 'wrong_type'
  | 'wrong_algorithm'
  | 'unknown_key'
  | 'invalid_jwks'
  | 'jwks_unavailable'
  | 'wrong_signature'
  | 'no_expiry'
  | 'expired'
  | 'issued_in_future'
  | 'wrong_issuer'
  | 'wrong_account'
  | 'wrong_kind'
  | 'too_old'
  | 'too_weak'
  | 'wrong_payload'

/** Why a receipt is refused. */
export class ReceiptError extends Error {
  constructor(code: ReceiptErrorCode, message: string, options?: ErrorOptions)
  readonly name: 'ReceiptError'
  readonly code: ReceiptErrorCode
}

/**
 * Verifies a receipt: that the gate signed it, that it has not expired, and everything that the options demand.
 * @returns what the receipt says
 * @throws ReceiptError where it must not be relied on; TypeError where an option is wrong
 */
export function verifyReceipt(jws: string, options: VerifyOptions): Promise<Receipt>

/**
 * The RFC 8785 form of a JSON value.
 * @throws TypeError on what JSON cannot represent
 */
export function canonical(value: unknown): string

/**
 * Hex SHA-256 of the RFC 8785 form of a payload, as `payload_sha256` has it.
 * @throws TypeError on what JSON cannot represent, and on a number beyond 2^53
 */
export function payloadSha256(payload: unknown): Promise<string>

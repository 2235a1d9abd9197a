import { type KeyObject, sign } from 'node:crypto'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { type Json, canonical } from '../gate/canonical.ts'
import { digestOfRow, eventId, sha256 } from '../ledger/digest.ts'
import { type PasskeyEvidence, evidenceIn } from '../ledger/consents/evidence.ts'
import { limits } from '../limits.ts'

/** The `typ` of a receipt, so that no other token passes for one. */
export const receiptType = 'gate-receipt+jwt'

/** What a receipt says. @source docs/proof.md#receipts */
export interface ReceiptClaims {
  /** Origin of PUBLIC_URL. */
  iss: string
  /** Id of the member for whom it was done. */
  sub: string
  account: string
  action: number
  uuid: string
  kind: string
  digest: string
  /** Hex SHA-256 of the payload in its RFC 8785 form. */
  payload_sha256: string
  consent: {
    strength: string
    by: string
    at: string
    channel: string
    /** Hex SHA-256 of the card that was shown; absent where the gate showed none. */
    display_sha256?: string
    /** How many others approved it, where the policy asked for that. */
    approvals?: number
    /** What their passkey signed, for anyone to check: the digest, the decision and the card. */
    passkey?: PasskeyEvidence
  }
  /** Tier and version of the policy at the consent. */
  tier: string
  policy_version: number
  iat: number
  exp: number
  /** Id of the ledger entry of the consent. */
  jti: string
}

/** A row whose consent stands. */
export type ConsentedRow = ActionRow & {
  member_id: string
  digest: string
  decided_at: Date
  consent_strength: string
  consent_by: string
  consent_channel: string
  consent_tier: string
  consent_policy_version: number
}

/**
 * Whether a row has a receipt: it was confirmed, it was neither denied nor cancelled after that, its payload is not erased, and
 * the receipt has not expired. Pure.
 */
export function isReceipted(row: ActionRow, now: number): row is ConsentedRow {
  const isConsented = row.decision === 'confirm' && (row.status === 'proposed' || row.status === 'executed')
  const isWhole =
    row.salt !== null &&
    row.digest !== null &&
    row.member_id !== null &&
    row.consent_strength !== null &&
    row.consent_tier !== null &&
    row.consent_policy_version !== null
  return isConsented && isWhole && now < row.decided_at!.getTime() + limits.receiptLastsMs
}

/**
 * Whether the row is not what its digest was made of: somebody changed it in the database after the member consented. Pure.
 */
export const isAltered = (row: ActionRow): boolean => digestOfRow(row) !== row.digest

/** The claims of a receipt. The same row always has the same ones. Pure. */
export function receiptClaims(row: ConsentedRow, issuer: string): ReceiptClaims {
  const issuedAt = Math.floor(row.decided_at.getTime() / 1_000)
  return {
    iss: issuer,
    sub: row.member_id,
    account: row.account_id,
    action: row.id,
    uuid: row.uuid,
    kind: row.kind,
    digest: row.digest,
    payload_sha256: sha256(canonical(row.payload as Json)).toString('hex'),
    consent: {
      strength: row.consent_strength,
      by: row.consent_by,
      at: row.decided_at.toISOString(),
      channel: row.consent_channel,
      ...(row.card === null ? {} : { display_sha256: row.card.toString('hex') }),
      ...((row.approval_rule ?? null) === null ? {} : { approvals: row.approvals_given ?? 0 }),
      ...passkeyOf(row),
    },
    tier: row.consent_tier,
    policy_version: row.consent_policy_version,
    iat: issuedAt,
    exp: issuedAt + limits.receiptLastsMs / 1_000,
    jti: eventId(row.uuid, 'confirmed'),
  }
}

const passkeyOf = ({ consent_passkey: given }: ActionRow): { passkey?: PasskeyEvidence } => {
  const passkey = evidenceIn(given)
  return passkey ? { passkey } : {}
}

/** The compact JWS of claims. Ed25519 has no random part: the same claims and key make the same text. */
export function signedReceipt(claims: ReceiptClaims, key: { kid: string; privateKey: KeyObject }): string {
  const header = { alg: 'EdDSA', typ: receiptType, kid: key.kid }
  const text = `${base64url(header)}.${base64url(claims)}`
  return `${text}.${sign(null, Buffer.from(text), key.privateKey).toString('base64url')}`
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

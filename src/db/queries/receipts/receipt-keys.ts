import type { SealedSecret } from '../../../secrets/seal.ts'
import type { Db } from '../../connect.ts'

/** A key that signs receipts. The private key is encrypted. */
export interface ReceiptKeyRow {
  kid: string
  public_key: Buffer
  ciphertext: Buffer
  wrapped_key: Buffer
  /** The key of SECRETS_KEYS that it is wrapped under. */
  secrets_kid: string
  /** The first moment whose consents it signs. */
  signs_from: Date
  created_at: Date
}

/** Every key, oldest first. */
export async function readReceiptKeys(db: Db): Promise<ReceiptKeyRow[]> {
  return db.read<ReceiptKeyRow>((sql) => sql`select * from gate.receipt_keys()`)
}

/** A new key, its private part encrypted. */
export interface NewReceiptKey {
  kid: string
  publicKey: Buffer
  sealed: SealedSecret
}

/** Adds a key. `standing`: there is one already, or one that does not sign yet. */
export async function addReceiptKey(
  db: Db,
  { kid, publicKey, sealed }: NewReceiptKey,
  rules: { isFirst: boolean; leadMs: number; keysMax: number },
): Promise<'added' | 'standing' | 'too_many'> {
  const rows = await db.run<{ outcome: 'added' }>(
    (sql) => sql`
      select gate.add_receipt_key(
        p_kid => ${kid}, p_public_key => ${publicKey}, p_ciphertext => ${sealed.ciphertext},
        p_wrapped_key => ${sealed.wrappedKey}, p_secrets_kid => ${sealed.kid}, p_is_first => ${rules.isFirst},
        p_lead_ms => ${rules.leadMs}, p_keys_max => ${rules.keysMax}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Deletes a key at once. @returns whether there was one */
export async function revokeReceiptKey(db: Db, kid: string): Promise<boolean> {
  const rows = await db.once<{ was: boolean }>(
    (sql) => sql`select gate.revoke_receipt_key(p_kid => ${kid}) as was`,
  )
  return rows[0]!.was
}

/** Deletes the keys that a later one replaced longer ago than the overlap. Returns how many. */
export async function forgetReceiptKeys(db: Db, overlapMs: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`select gate.forget_receipt_keys(p_overlap_ms => ${overlapMs}) as forgotten`,
  )
  return rows[0]!.forgotten
}

/** Stores a data key that was wrapped again. @returns false where someone else did that meanwhile */
export async function rewrapReceiptKey(
  db: Db,
  r: { kid: string; oldSecretsKid: string; secretsKid: string; wrappedKey: Buffer },
): Promise<boolean> {
  const rows = await db.run<{ was: boolean }>(
    (sql) => sql`
      select gate.rewrap_receipt_key(
        p_kid => ${r.kid}, p_old_secrets_kid => ${r.oldSecretsKid}, p_secrets_kid => ${r.secretsKid},
        p_wrapped_key => ${r.wrappedKey}) as was`,
  )
  return rows[0]!.was
}

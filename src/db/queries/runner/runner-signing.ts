import type { SealedSecret } from '../../../secrets/seal.ts'
import type { Db } from '../../connect.ts'

/** The signing secret of a runner key as it is stored: encrypted, or plain where the service has no SECRETS_KEYS. */
export interface StoredSigning {
  /** How requests name the key. */
  name: Buffer
  secret: SealedSecret | { plain: Buffer }
}

/** Writes signing data as `gate.mint_key` and `gate.rotate_key` take it. Pure. */
export function signingArgument(signing: StoredSigning | null): string | null {
  if (signing === null) return null
  const { name, secret } = signing
  const hex = (bytes: Buffer) => bytes.toString('hex')
  return JSON.stringify({
    name: hex(name),
    ...('plain' in secret
      ? { ciphertext: hex(secret.plain), wrapped_key: null, kid: null }
      : { ciphertext: hex(secret.ciphertext), wrapped_key: hex(secret.wrappedKey), kid: secret.kid }),
  })
}

export interface SigningRow {
  account_id: string
  key_id: string
  /** The hash of the key. */
  hash: Buffer
  ciphertext: Buffer
  wrapped_key: Buffer | null
  kid: string | null
}

/** The signing secret of a key by its name, whether the key is valid or not. */
export async function readSigning(db: Db, name: Buffer): Promise<SigningRow | undefined> {
  const [row] = await db.read<SigningRow>((sql) => sql`select * from gate.runner_signing(p_name => ${name})`)
  return row
}

/** Whether a signed request is the first with its nonce. The same request again is. @param keptMs  for how long a nonce is known */
export async function claimNonce(
  db: Db,
  claim: { account: string; keyId: string; nonce: Buffer; request: string; keptMs: number },
): Promise<boolean> {
  const [row] = await db.run<{ is_first: boolean }>(
    (sql) => sql`
      select gate.claim_nonce(
        p_account => ${claim.account}, p_key => ${claim.keyId}, p_nonce => ${claim.nonce}, p_request => ${claim.request},
        p_kept_ms => ${claim.keptMs}) as is_first`,
  )
  return row!.is_first
}

/** The signing secrets of an account that are wrapped under another key than `kid`, or not encrypted. */
export const listSigningElsewhere = (
  db: Db,
  account: string,
  kid: string,
): Promise<Omit<SigningRow, 'account_id' | 'hash'>[]> =>
  db.read((sql) => sql`select * from gate.list_signing_elsewhere(p_account => ${account}, p_kid => ${kid})`)

/** Stores a secret that was wrapped again, or encrypted. False where another process did so meanwhile. */
export async function storeRewrappedSigning(
  db: Db,
  r: SealedSecret & { account: string; keyId: string; oldKid: string | null },
): Promise<boolean> {
  const [row] = await db.run<{ is_stored: boolean }>(
    (sql) => sql`
      select gate.rewrap_signing(
        p_account => ${r.account}, p_key => ${r.keyId}, p_old_kid => ${r.oldKid}, p_kid => ${r.kid},
        p_ciphertext => ${r.ciphertext}, p_wrapped_key => ${r.wrappedKey}) as is_stored`,
  )
  return row!.is_stored
}

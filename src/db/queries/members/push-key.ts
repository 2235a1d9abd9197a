import type { SealedSecret } from '../../../secrets/seal.ts'
import type { WrappedKey } from '../../../secrets/key-provider.ts'
import type { Db } from '../../connect.ts'

/** The key by which push services recognize this service. The private part is encrypted. */
export interface PushKeyRow {
  /** A point on P-256, uncompressed. */
  public_key: Buffer
  ciphertext: Buffer
  wrapped_key: Buffer
  secrets_kid: string
}

/** Reads it; undefined: there is none yet. */
export async function readPushKey(db: Db): Promise<PushKeyRow | undefined> {
  const rows = await db.read<PushKeyRow>((sql) => sql`select * from gate.push_key()`)
  return rows[0]
}

/** Stores the first key. Where another process did that meanwhile, theirs stays. */
export async function addPushKey(db: Db, publicKey: Buffer, sealed: SealedSecret): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.add_push_key(
        p_public_key => ${publicKey}, p_ciphertext => ${sealed.ciphertext}, p_wrapped_key => ${sealed.wrappedKey},
        p_secrets_kid => ${sealed.kid})`,
  )
}

/** Stores a data key that was wrapped again. @returns false where someone else did that meanwhile */
export async function rewrapPushKey(
  db: Db,
  { oldSecretsKid, kid, wrappedKey }: WrappedKey & { oldSecretsKid: string },
): Promise<boolean> {
  const rows = await db.run<{ was: boolean }>(
    (sql) => sql`
      select gate.rewrap_push_key(
        p_old_secrets_kid => ${oldSecretsKid}, p_secrets_kid => ${kid}, p_wrapped_key => ${wrappedKey}) as was`,
  )
  return rows[0]!.was
}

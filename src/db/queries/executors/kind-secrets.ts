import type { SealedSecret } from '../../../secrets/seal.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/** Gives a kind a new secret. `missing`: the account has no such kind whose executor is called. */
export async function rotateKindSecret(
  db: Db,
  r: AdminWrite & { kind: string; secretId: string; sealed: SealedSecret; overlapMs: number },
): Promise<'rotated' | 'missing'> {
  const rows = await db.run<{ outcome: 'rotated' }>(
    (sql) => sql`
      select gate.rotate_kind_secret(
        p_account => ${r.account}, p_session => ${r.session}, p_kind => ${r.kind}, p_secret => ${r.secretId},
        p_ciphertext => ${r.sealed.ciphertext}, p_wrapped_key => ${r.sealed.wrappedKey}, p_kid => ${r.sealed.kid},
        p_overlap_ms => ${r.overlapMs}, p_event => ${r.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** When a secret was made, and until when it signs; null: until another one replaces it. */
export interface KindSecretRow {
  created_at: Date
  valid_until: Date | null
}

/** The secrets of a kind that sign now, newest first. */
export function listKindSecrets(db: Db, account: string, kind: string): Promise<KindSecretRow[]> {
  return db.read<KindSecretRow>(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select created_at, valid_until from gate.kind_secret
        where account_id = t.id and kind = ${kind} and coalesce(valid_until > clock_timestamp(), true)
        order by valid_until desc nulls first offset 0
      ) s`,
  )
}

export interface WrappedKindSecretRow {
  kind: string
  secret_id: string
  wrapped_key: Buffer
  kid: string
}

/** Every secret of an account that is wrapped under another key than `kid`. */
export async function listKindSecretsElsewhere(
  db: Db,
  account: string,
  kid: string,
): Promise<WrappedKindSecretRow[]> {
  return db.read<WrappedKindSecretRow>(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select kind, secret_id, wrapped_key, kid from gate.kind_secret
        where account_id = t.id and kid <> ${kid} order by kind, secret_id offset 0
      ) s`,
  )
}

/** Stores rewrapped data keys. Returns how many: those that another process rewrapped meanwhile are not changed. */
export async function storeRewrappedKindSecrets(
  db: Db,
  r: {
    account: string
    kid: string
    secrets: { kind: string; secret: string; oldKid: string; wrappedKey: Buffer }[]
  },
): Promise<number> {
  const secrets = JSON.stringify(
    r.secrets.map(({ kind, secret, oldKid, wrappedKey }) => ({
      kind,
      secret,
      old_kid: oldKid,
      wrapped_key: wrappedKey.toString('base64'),
    })),
  )
  const rows = await db.run<{ rewrapped: number }>(
    (sql) => sql`
      select gate.rewrap_kind_secrets(p_account => ${r.account}, p_kid => ${r.kid}, p_secrets => ${secrets}) as rewrapped`,
  )
  return rows[0]!.rewrapped
}

import type { KeyPower, KeyRights } from '../../../keys/rights.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'
import { type StoredSigning, signingArgument } from '../runner/runner-signing.ts'

/** The public fields of an API key. */
export interface KeyRow {
  key_id: string
  name: string
  last4: string
  /** The ids of the members it is bound to; null: all members of the account. */
  actors: string[] | null
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  powers: KeyPower[]
  kinds: string[] | null
  networks: string[] | null
  actions_per_day: number | null
  cents_per_day: Record<string, number> | null
  /** Calls of the administration API in 24 hours; null: it has no power there. */
  admin_calls_per_day: number | null
  /** Who minted it: `admin`, `admin:` and an administrator's id, or a member's id for an app. */
  minted_by: string | null
  /** The key that it replaces. */
  rotated_from: string | null
  /** Actions confirmed in the last 24 hours that it, or a key of the same rotation, proposed or confirmed. */
  used_today: number
}

/** All keys of an account, oldest first. */
export async function listKeys(db: Db, account: string): Promise<KeyRow[]> {
  return db.read((sql) => sql`select * from gate.list_keys(p_account => ${account})`)
}

interface StoredKey {
  keyId: string
  last4: string
  /** SHA-256 of the key. The key itself is not stored. */
  hash: Buffer
  /** Only a runner key has it: what its requests are signed with. */
  signing?: StoredSigning | null
}

export interface NewKey extends AdminWrite, StoredKey, KeyRights {
  name: string
  expiresAt: Date | null
}

/** Stores a new key by its hash. Returns its networks in normalized form, without duplicates. */
export async function storeKey(db: Db, k: NewKey): Promise<string[] | null> {
  const cents = k.centsPerDay === null ? null : JSON.stringify(k.centsPerDay)
  const rows = await db.once<{ networks: string[] | null }>(
    (sql) => sql`
      select gate.mint_key(
        p_account => ${k.account}, p_session => ${k.session}, p_key => ${k.keyId}, p_name => ${k.name},
        p_last4 => ${k.last4}, p_hash => ${k.hash}, p_actors => ${k.actors}, p_expires => ${k.expiresAt},
        p_powers => ${k.powers}, p_kinds => ${k.kinds}, p_networks => ${k.networks},
        p_actions_per_day => ${k.actionsPerDay}, p_cents_per_day => ${cents}::text::json, p_event => ${k.eventId},
        p_signing => ${signingArgument(k.signing ?? null)}::text::json,
        p_admin_calls_per_day => ${k.adminCallsPerDay ?? null}) as networks`,
  )
  return rows[0]!.networks
}

/** `over`: the previous key is revoked or expired. `twice`: it was already rotated. */
export type RotateOutcome = 'rotated' | 'missing' | 'over' | 'twice'

/** Stores a key with the rights of a previous key, which then expires after `overlapMs` at the latest (`expiresAt`). */
export async function rotateKey(
  db: Db,
  r: AdminWrite & StoredKey & { former: string; overlapMs: number },
): Promise<{ outcome: RotateOutcome; expiresAt: Date | null }> {
  const rows = await db.once<{ outcome: RotateOutcome; expiresAt: Date | null }>(
    (sql) => sql`
      select r.outcome, r.expires_at as "expiresAt" from gate.rotate_key(
        p_account => ${r.account}, p_session => ${r.session}, p_key => ${r.former}, p_new_key => ${r.keyId},
        p_last4 => ${r.last4}, p_hash => ${r.hash}, p_overlap_ms => ${r.overlapMs}, p_event => ${r.eventId},
        p_signing => ${signingArgument(r.signing ?? null)}::text::json) r`,
  )
  return rows[0]!
}

/** Revokes a key; idempotent. Returns whether the key exists. */
export async function revokeKey(db: Db, r: AdminWrite & { keyId: string }): Promise<boolean> {
  const rows = await db.run<{ found: boolean }>(
    (sql) => sql`
      select gate.revoke_key(
        p_account => ${r.account}, p_session => ${r.session}, p_key => ${r.keyId}, p_event => ${r.eventId}
      ) as found`,
  )
  return rows[0]!.found
}

import { type LedgerEvent } from '../../ledger/admin-event.ts'
import { type Db } from '../connect.ts'

/** What may be shown of an API key. */
export interface KeyRow {
  key_id: string
  name: string
  last4: string
  /** The ids of the members it is bound to; null: any of the account. */
  actors: string[] | null
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

/** Every key of an account, oldest first. */
export async function listKeys(db: Db, account: string): Promise<KeyRow[]> {
  return db.read((sql) => sql`select * from gate.list_keys(p_account => ${account})`)
}

export interface NewKey {
  account: string
  keyId: string
  name: string
  last4: string
  /** SHA-256 of the key: all that is stored of it. */
  hash: Buffer
  actors: string[] | null
  expiresAt: Date | null
  event: LedgerEvent
}

/** Stores a new key by its hash. */
export async function storeKey(db: Db, k: NewKey): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.mint_key(
        p_account => ${k.account}, p_key => ${k.keyId}, p_name => ${k.name}, p_last4 => ${k.last4},
        p_hash => ${k.hash}, p_actors => ${k.actors}, p_expires => ${k.expiresAt}, p_event => ${k.event.eventId},
        p_tail => ${k.event.entryTail})`,
  )
}

/** Revokes a key; a revoked one stays as it is. Returns whether there is such a key. */
export async function revokeKey(
  db: Db,
  r: { account: string; keyId: string; event: LedgerEvent },
): Promise<boolean> {
  const rows = await db.run<{ found: boolean }>(
    (sql) => sql`
      select gate.revoke_key(
        p_account => ${r.account}, p_key => ${r.keyId}, p_event => ${r.event.eventId},
        p_tail => ${r.event.entryTail}
      ) as found`,
  )
  return rows[0]!.found
}

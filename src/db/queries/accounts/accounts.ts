import type { AdminWrite } from '../../admin-write.ts'
import type { KeyLimits } from '../../../keys/rights.ts'
import type { Db } from '../../connect.ts'

export interface AccountRow {
  account_id: string
  name: string
  created_at: Date
  suspended_at: Date | null
  /** How the requests of its keys are counted. */
  key_limits: KeyLimits
  /** The length of the ledger and its last hash. */
  seq: number
  hash: Buffer
}

/** All accounts, oldest first. */
export async function listAccounts(db: Db): Promise<AccountRow[]> {
  return db.read((sql) => sql`select * from gate.list_accounts()`)
}

/** Creates an account with the given id. */
export async function createAccount(db: Db, account: string, name: string): Promise<void> {
  await db.once((sql) => sql`select gate.create_account(p_account => ${account}, p_name => ${name})`)
}

/** Whether the account exists and no other does. */
export async function isOnlyAccount(db: Db, account: string): Promise<boolean> {
  const rows = await db.read<{ is_only: boolean }>(
    (sql) => sql`select gate.is_only_account(p_account => ${account}) as is_only`,
  )
  return rows[0]!.is_only
}

/** Whether the account is suspended. */
export async function isSuspended(db: Db, account: string): Promise<boolean> {
  const rows = await db.read<{ suspended: boolean }>(
    (sql) => sql`
      select c.suspended from gate.tenant(${account}) t(id),
      lateral (
        select suspended_at is not null as suspended from gate.account where account_id = t.id offset 0
      ) c`,
  )
  return rows[0]?.suspended ?? false
}

/** Suspends or resumes an account. Returns whether that changed anything. */
export async function suspendAccount(db: Db, s: AdminWrite & { suspend: boolean }): Promise<boolean> {
  const rows = await db.run<{ changed: boolean }>(
    (sql) => sql`
      select gate.suspend_account(
        p_account => ${s.account}, p_session => ${s.session}, p_suspend => ${s.suspend}, p_event => ${s.eventId}
      ) as changed`,
  )
  return rows[0]!.changed
}

/** How the requests of the account's keys are counted. */
export async function readKeyLimits(db: Db, account: string): Promise<KeyLimits> {
  const rows = await db.read<{ key_limits: KeyLimits | null }>(
    (sql) => sql`select gate.key_limits(p_account => ${account}) as key_limits`,
  )
  return rows[0]?.key_limits ?? 'per_process'
}

/** Sets how the requests of the account's keys are counted. Returns whether that changed anything. */
export async function setKeyLimits(db: Db, s: AdminWrite & { keyLimits: KeyLimits }): Promise<boolean> {
  const rows = await db.run<{ changed: boolean }>(
    (sql) => sql`
      select gate.set_key_limits(
        p_account => ${s.account}, p_session => ${s.session}, p_key_limits => ${s.keyLimits}, p_event => ${s.eventId}
      ) as changed`,
  )
  return rows[0]!.changed
}

import {
  type AccountRow,
  createAccount as create,
  listAccounts,
  suspendAccount as suspend,
} from '../../db/queries/accounts/accounts.ts'
import type { Db } from '../../db/connect.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { type AdminContext, writeOf } from './context.ts'

/** Creates an account. @returns its id */
export async function createAccount(db: Db, name: string): Promise<string> {
  const account = `acct_${randomBase62(16)}`
  await create(db, account, name)
  return account
}

/** Every account, oldest first. */
export async function readAccounts(db: Db): Promise<AccountRow[]> {
  return listAccounts(db)
}

/** Suspends or resumes an account. Nothing is executed while it is suspended. Repeating it changes nothing. */
export async function suspendAccount(context: AdminContext, isSuspended: boolean): Promise<void> {
  await suspend(context.db, { ...writeOf(context), suspend: isSuspended })
}

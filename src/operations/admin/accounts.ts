import {
  type AccountRow,
  createAccount as create,
  listAccounts,
  suspendAccount as suspend,
} from '../../db/queries/accounts/accounts.ts'
import type { Db } from '../../db/connect.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { type AdminContext, writeOf } from './context.ts'

/** Makes an account. @returns its id */
export async function createAccount(db: Db, name: string): Promise<string> {
  const account = `acct_${randomBase62(16)}`
  await create(db, account, name)
  return account
}

/** Every account there is, oldest first. */
export async function readAccounts(db: Db): Promise<AccountRow[]> {
  return listAccounts(db)
}

/** Throws the stop switch, or releases it: while it is thrown nothing is executed. Twice changes nothing more. */
export async function suspendAccount(context: AdminContext, isSuspended: boolean): Promise<void> {
  await suspend(context.db, { ...writeOf(context), suspend: isSuspended })
}

import {
  type AccountRow,
  createAccount as create,
  listAccounts,
  readKeyLimits as readCounting,
  setKeyLimits as setCounting,
  suspendAccount as suspend,
} from '../../db/queries/accounts/accounts.ts'
import type { Db } from '../../db/connect.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { type KeyLimits, keyLimitsOptions } from '../../keys/rights.ts'
import { type AccountContext, type AdminContext, writeOf } from './context.ts'

export { keyLimitsOptions }

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

/** How the requests of the account's keys are counted. */
export async function readKeyLimits({ db, account }: AccountContext): Promise<KeyLimits> {
  return readCounting(db, account)
}

/** Sets how the requests of the account's keys are counted. A process learns of it within a minute. */
export async function setKeyLimits(context: AdminContext, keyLimits: KeyLimits): Promise<void> {
  await setCounting(context.db, { ...writeOf(context), keyLimits })
}

import { createAccount as create } from '../../db/queries/accounts/accounts.ts'
import type { Db } from '../../db/connect.ts'
import { randomBase62 } from '../../keys/api-key.ts'

/** Creates an account. @returns its id */
export async function createAccount(db: Db, name: string): Promise<string> {
  const account = `acct_${randomBase62(16)}`
  await create(db, account, name)
  return account
}

import { type AccountRow, listAccounts } from '../../db/queries/accounts/accounts.ts'
import type { Db } from '../../db/connect.ts'

/** Every account, oldest first. */
export async function readAccounts(db: Db): Promise<AccountRow[]> {
  return listAccounts(db)
}

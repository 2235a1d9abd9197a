import { type KeyRow, listKeys } from '../../db/queries/accounts/keys.ts'
import type { AccountContext } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'

export type { KeyRow } from '../../db/queries/accounts/keys.ts'

/** Every key, oldest first, without its secret. @throws GateError `not_found` */
export async function readKeys({ db, account }: AccountContext): Promise<KeyRow[]> {
  await requireAccount(db, account)
  return listKeys(db, account)
}

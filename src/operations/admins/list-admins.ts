import { type AdminRow, listAdmins as readAdmins } from '../../db/queries/accounts/admins.ts'
import type { AdminContext } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'

export type { AdminRole, AdminRow } from '../../db/queries/accounts/admins.ts'

/** All administrators of an account, including removed ones. @throws GateError `not_found` if there is no such account */
export async function listAdmins({ db, account }: Pick<AdminContext, 'db' | 'account'>): Promise<AdminRow[]> {
  await requireAccount(db, account)
  return readAdmins(db, account)
}

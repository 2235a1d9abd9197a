import { type AdminRow, findAdmin, removeAdmin as remove } from '../../db/queries/accounts/admins.ts'
import { GateError } from '../../errors.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'

/** Removes the administrator of a mailbox and ends their sessions. @throws GateError `not_found` */
export async function removeAdmin(context: AdminContext, email: string): Promise<AdminRow> {
  const { db, account } = context
  const found = await findAdmin(db, account, email)
  if (!found) throw new GateError('not_found', `No administrator of ${account} has the e-mail ${email}.`)
  await remove(db, { ...writeOf(context), adminId: found.admin_id })
  return found
}

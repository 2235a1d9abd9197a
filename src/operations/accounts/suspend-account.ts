import { suspendAccount as suspend } from '../../db/queries/accounts/accounts.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'

/** Suspends or resumes an account. Nothing is executed while it is suspended. Repeating it changes nothing. */
export async function suspendAccount(context: AdminContext, isSuspended: boolean): Promise<void> {
  await suspend(context.db, { ...writeOf(context), suspend: isSuspended })
}

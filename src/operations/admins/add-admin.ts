import type { AdminRole } from '../../db/queries/accounts/admins.ts'
import type { AdminContext } from '../admin-context.ts'
import { settleInvitation } from './settle-invitation.ts'

/**
 * Creates an administrator or auditor for a mailbox, who requests a sign-in link later.
 * @throws GateError `conflict` where its reader has the other role
 */
export async function addAdmin(
  context: AdminContext,
  email: string,
  role: AdminRole = 'administrator',
): Promise<void> {
  await settleInvitation(context, email, role, null)
}

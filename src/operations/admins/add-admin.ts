import type { AdminContext } from '../admin-context.ts'
import { settleInvitation } from './settle-invitation.ts'

/** Creates an administrator for a mailbox, who requests a sign-in link later. */
export async function addAdmin(context: AdminContext, email: string): Promise<void> {
  await settleInvitation(context, email, null)
}

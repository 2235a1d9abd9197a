import type { AdminRole } from '../../db/queries/accounts/admins.ts'
import { newToken, signInTokenHash } from '../../keys/link-token.ts'
import { signInPath } from '../sign-in/sign-in-path.ts'
import { limits } from '../../limits.ts'
import type { AdminContext } from '../admin-context.ts'
import { settleInvitation } from './settle-invitation.ts'

/**
 * Creates an administrator or auditor for a mailbox, or finds the existing one, with a sign-in link that works once.
 * @returns the path of the link; anyone who has it can become that person
 * @throws GateError `conflict` where the mailbox's reader has the other role
 */
export async function inviteAdmin(
  context: AdminContext,
  email: string,
  role: AdminRole = 'administrator',
): Promise<string> {
  const token = newToken()
  await settleInvitation(context, email, role, {
    token: signInTokenHash(token),
    lastsMs: limits.signInLinkMs,
  })
  return `${signInPath}/${token}`
}

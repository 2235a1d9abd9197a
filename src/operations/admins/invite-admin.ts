import { newToken, signInTokenHash } from '../../keys/link-token.ts'
import { signInPath } from '../sign-in/sign-in-path.ts'
import { limits } from '../../limits.ts'
import type { AdminContext } from '../admin-context.ts'
import { settleInvitation } from './settle-invitation.ts'

/**
 * Creates an administrator for a mailbox, or finds the existing one, with a sign-in link that works once.
 * @returns the path of the link; anyone who has it can become that administrator
 */
export async function inviteAdmin(context: AdminContext, email: string): Promise<string> {
  const token = newToken()
  await settleInvitation(context, email, { token: signInTokenHash(token), lastsMs: limits.signInLinkMs })
  return `${signInPath}/${token}`
}

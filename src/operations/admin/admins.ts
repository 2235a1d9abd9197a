import {
  type AdminRow,
  findAdmin,
  inviteAdmin as invite,
  removeAdmin as remove,
} from '../../db/queries/accounts/admins.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { newToken, signInTokenHash } from '../../keys/link-token.ts'
import { signInPath } from '../sign-in/sign-in-path.ts'
import { limits } from '../../limits.ts'
import { retryStale } from '../retry-stale.ts'
import { type AdminContext, writeOf } from './context.ts'

/**
 * Makes an administrator of a mailbox, or finds the one there is, with a link to sign in that works once.
 * @returns the path of the link, to be shown to whoever may become that administrator and to nobody else
 */
export async function inviteAdmin(context: AdminContext, email: string): Promise<string> {
  const token = newToken()
  await settleInvitation(context, email, { token: signInTokenHash(token), lastsMs: limits.signInLinkMs })
  return `${signInPath}/${token}`
}

/** Makes an administrator of a mailbox, who signs in by asking for a link there. */
export async function addAdmin(context: AdminContext, email: string): Promise<void> {
  await settleInvitation(context, email, null)
}

/** Removes whoever administers by a mailbox; their sessions end. @throws GateError `not_found` where nobody does */
export async function removeAdmin(context: AdminContext, email: string): Promise<AdminRow> {
  const { db, account } = context
  const found = await findAdmin(db, account, email)
  if (!found) throw new GateError('not_found', `Nobody administers ${account} by the e-mail ${email}.`)
  await remove(db, { ...writeOf(context), adminId: found.admin_id })
  return found
}

// The entry names the administrator, so who that is must be known before; somebody else may have invited meanwhile.
async function settleInvitation(
  context: AdminContext,
  email: string,
  link: { token: Buffer; lastsMs: number } | null,
): Promise<void> {
  const { db, account } = context
  const inviteOnce = async () => {
    const known = await findAdmin(db, account, email)
    const adminId = known?.admin_id ?? `adm_${randomBase62(16)}`
    const invited = await invite(db, { ...writeOf(context), adminId, email, link })
    return invited === adminId ? 'invited' : 'stale'
  }
  await retryStale(
    inviteOnce,
    () => new GateError('conflict', 'This administrator is being invited by somebody else. Try again.'),
  )
}

import {
  type AdminRow,
  findAdmin,
  inviteAdmin as invite,
  listAdmins as readAdmins,
  removeAdmin as remove,
} from '../../db/queries/accounts/admins.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { newToken, signInTokenHash } from '../../keys/link-token.ts'
import { signInPath } from '../sign-in/sign-in-path.ts'
import { limits } from '../../limits.ts'
import { retryStale } from '../retry-stale.ts'
import { type AdminContext, writeOf } from './context.ts'
import { requireAccount } from '../require-account.ts'

export type { AdminRow }

/** All administrators of an account, including removed ones. @throws GateError `not_found` if there is no such account */
export async function listAdmins({ db, account }: Pick<AdminContext, 'db' | 'account'>): Promise<AdminRow[]> {
  await requireAccount(db, account)
  return readAdmins(db, account)
}

/**
 * Creates an administrator for a mailbox, or finds the existing one, with a sign-in link that works once.
 * @returns the path of the link; anyone who has it can become that administrator
 */
export async function inviteAdmin(context: AdminContext, email: string): Promise<string> {
  const token = newToken()
  await settleInvitation(context, email, { token: signInTokenHash(token), lastsMs: limits.signInLinkMs })
  return `${signInPath}/${token}`
}

/** Creates an administrator for a mailbox, who requests a sign-in link later. */
export async function addAdmin(context: AdminContext, email: string): Promise<void> {
  await settleInvitation(context, email, null)
}

/** Removes the administrator of a mailbox and ends their sessions. @throws GateError `not_found` */
export async function removeAdmin(context: AdminContext, email: string): Promise<AdminRow> {
  const { db, account } = context
  const found = await findAdmin(db, account, email)
  if (!found) throw new GateError('not_found', `No administrator of ${account} has the e-mail ${email}.`)
  await remove(db, { ...writeOf(context), adminId: found.admin_id })
  return found
}

// The ledger entry names the administrator, so the id must be known first; a concurrent invitation may change it.
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
    () => new GateError('conflict', 'This administrator is being invited by another request. Try again.'),
  )
}

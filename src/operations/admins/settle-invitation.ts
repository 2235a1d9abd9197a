import { type AdminRole, findAdmin, inviteAdmin as invite } from '../../db/queries/accounts/admins.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { retryStale } from '../retry-stale.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'

// The ledger entry names the administrator, so the id must be known first; a concurrent invitation may change it.
export async function settleInvitation(
  context: AdminContext,
  email: string,
  role: AdminRole,
  link: { token: Buffer; lastsMs: number } | null,
): Promise<void> {
  const { db, account } = context
  const inviteOnce = async () => {
    const known = await findAdmin(db, account, email)
    if (known && known.role !== role)
      throw new GateError(
        'conflict',
        `${known.email} is an ${known.role}. Remove them first to make them an ${role}.`,
      )
    const adminId = known?.admin_id ?? `adm_${randomBase62(16)}`
    const invited = await invite(db, { ...writeOf(context), adminId, email, role, link })
    return invited === adminId ? 'invited' : 'stale'
  }
  await retryStale(
    inviteOnce,
    () => new GateError('conflict', 'This administrator is being invited by another request. Try again.'),
  )
}

import { randomUUID } from 'node:crypto'
import { type PasskeyRow, listPasskeys, removePasskey as remove } from '../../db/queries/members/passkeys.ts'
import { GateError } from '../../errors.ts'
import type { AdminContext } from '../admin-context.ts'

export type { PasskeyRow }
export { listPasskeys }

/**
 * Removes a passkey: what it signs after that decides nothing, and sessions that it began end. The member is told.
 * @param context.session  the member's own, or an administrator's; null: the command line
 * @throws GateError `not_found`, and `conflict` for a member's last one where a floor of the account is `passkey`
 */
export async function removePasskey(context: AdminContext, passkeyId: string): Promise<void> {
  const { db, account, session } = context
  const outcome = await remove(db, { account, session, passkeyId, eventId: randomUUID() })
  if (outcome === 'missing') throw new GateError('not_found', 'Passkey not found. It may have been removed.')
  if (outcome === 'last_needed')
    throw new GateError(
      'conflict',
      'This is your last passkey, and the policy of this account requires one. Add another first, or ask an administrator to remove it.',
    )
}

import { type ConfirmOutcome, confirmIdentity as confirm } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import type { ConsentChannel } from '../../gate/consent.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { readMember } from './read-member.ts'

/**
 * Confirms, as a second administrator, that a changed e-mail address or identity in a chat is the member's. Decisions through it
 * count in full from then on. The command line cannot confirm, because it does not know which person uses it.
 * @param changedAt  the time of the change that the administrator was shown
 * @throws GateError `forbidden` where this administrator may not confirm, `conflict` where there is no such change,
 * `not_found`
 */
export async function confirmIdentity(
  context: AdminContext,
  memberId: string,
  { via, changedAt }: { via: ConsentChannel; changedAt: Date },
): Promise<void> {
  await readMember(context, memberId)
  const outcome = await confirm(context.db, { ...writeOf(context), memberId, via, changedAt })
  if (outcome === 'confirmed' || outcome === 'confirmed_before') return
  const [code, sentence] = notConfirmed[outcome]
  throw new GateError(code, sentence)
}

const notConfirmed: Record<
  Exclude<ConfirmOutcome, 'confirmed' | 'confirmed_before'>,
  ['forbidden' | 'conflict', string]
> = {
  missing: ['conflict', 'There is no change to confirm. Nothing was changed.'],
  moved: [
    'conflict',
    'The identity was changed again since you opened this page. Check the new identity, then confirm it.',
  ],
  not_admin: ['forbidden', 'Only an administrator who is signed in to the console can confirm a change.'],
  same_admin: ['forbidden', 'You made this change. Another administrator must confirm it.'],
  unknown_changer: [
    'forbidden',
    'It is unknown who made this change, so it cannot be confirmed. It counts in full after the waiting time of the policy.',
  ],
  new_admin: [
    'forbidden',
    'You became an administrator after this change. An administrator from before the change must confirm it.',
  ],
  own_mailbox: ['forbidden', 'This is your own address. Another administrator must confirm it.'],
}

import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { memberId, passkeyId } from '../../operations/ids.ts'
import { listPasskeys, removePasskey } from '../../operations/passkeys/remove-passkey.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { html } from '../../web/html.ts'
import { memberPath } from '../members/member-page.ts'
import { type PageContext, type RejectedForm, type View, asAdmin, definePage, idIn } from '../page.ts'
import { confirmation, facts, formProblem, moment, nameOf } from '../parts.ts'
import { passkeysPath } from './paths.ts'

/** Removes a passkey of the signed-in member. */
export const removePasskeyPage = definePage({
  path: `${passkeysPath}/:passkey/remove`,
  form: z.strictObject({}),
  show: (context, _query, rejected) =>
    removeView(context, { member: context.session.memberId, back: passkeysPath }, rejected),
  async send(context) {
    const { deps, session } = context
    const { account, tokenHash } = session
    await removePasskey({ db: deps.db, account, session: tokenHash }, idIn(context, 'passkey', passkeyId))
    return { to: passkeysPath, flash: 'passkey_removed' }
  },
})

/** Removes a passkey of a member, for an administrator: of a lost device, or the last one. */
export const removeOfMemberPage = definePage({
  path: '/console/members/:member/passkeys/:passkey/remove',
  role: 'admin',
  form: z.strictObject({}),
  show(context, _query, rejected) {
    const member = idIn(context, 'member', memberId)
    return removeView(context, { member, back: memberPath(member) }, rejected)
  },
  async send(context) {
    await removePasskey(asAdmin(context), idIn(context, 'passkey', passkeyId))
    return { to: memberPath(idIn(context, 'member', memberId)), flash: 'passkey_removed' }
  },
})

async function removeView(
  context: PageContext,
  { member, back }: { member: string | null; back: string },
  rejected: RejectedForm | undefined,
): Promise<View> {
  const { deps, session } = context
  const id = idIn(context, 'passkey', passkeyId)
  const passkeys = member === null ? [] : await listPasskeys(deps.db, session.account, member)
  const found = passkeys.find(({ passkey_id }) => passkey_id === id)
  if (!found) throw new GateError('not_found', 'Passkey not found. It may have been removed.')
  return {
    title: 'Remove passkey?',
    body: html`${formProblem(rejected)}
      ${facts([
        ['Name', nameOf(escapeInvisible(found.name))],
        ['Added', moment(found.created_at)],
        ['Last used', found.used_at === null ? 'never' : moment(found.used_at)],
      ])}
      <p>
        It no longer decides or signs in, and sessions that it began end. It cannot be added again. Delete it
        in the device or its password manager, too.
      </p>
      ${confirmation({ button: 'Remove passkey', back })}`,
  }
}

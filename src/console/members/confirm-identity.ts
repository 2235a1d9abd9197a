import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { type ConsentChannel, consentChannels } from '../../gate/consent.ts'
import { instant } from '../../operations/entered-fields.ts'
import type { IdentityChange, MemberRow } from '../../operations/members/read-member.ts'
import { confirmIdentity } from '../../operations/members/confirm-identity.ts'
import { html } from '../../web/html.ts'
import { changerOf, identityName, memberIn, memberPath } from './member-page.ts'
import { type PageContext, asAdmin, definePage } from '../page.ts'
import { confirmation, facts, moment, formProblem } from '../parts.ts'

/** A second administrator confirms that a changed e-mail address or identity in a chat belongs to the member. */
export const confirmIdentityPage = definePage({
  path: `${memberPath(':member')}/confirm/:via`,
  role: 'admin',
  form: z.strictObject({ changed_at: instant }),
  async show(context, _query, rejected) {
    const member = await memberIn(context)
    const change = changeIn(context, member)
    const name = identityName[change.via]
    const now = member[change.via]
    return {
      title: `Confirm the ${name} of ${member.name}?`,
      body: html`${formProblem(rejected)}
        <p>
          Contact ${member.name} another way, such as by phone, and check that this identity is theirs. After
          you confirm it, decisions through it count in full.
        </p>
        ${facts([
          [`New ${identityName[change.via]}`, now ?? 'none'],
          ['Changed', moment(change.changedAt)],
          ['Changed by', changerOf(change)],
        ])}
        ${confirmation({
          button: `Confirm ${identityName[change.via]}`,
          back: memberPath(member.memberId),
          isHarmless: true,
          fields: html`<input type="hidden" name="changed_at" value="${change.changedAt.toISOString()}" />`,
        })}`,
    }
  },
  async send(context, { changed_at: changedAt }) {
    const member = await memberIn(context)
    await confirmIdentity(asAdmin(context), member.memberId, { via: channelIn(context), changedAt })
    return { to: memberPath(member.memberId), flash: 'identity_confirmed' }
  },
})

function channelIn({ params }: PageContext): ConsentChannel {
  const via = consentChannels.find((one) => one === params['via'])
  if (via === undefined) throw new GateError('not_found', 'Page not found. Check the address.')
  return via
}

function changeIn(context: PageContext, member: MemberRow): IdentityChange {
  const via = channelIn(context)
  const change = member.identityChanges.find((one) => one.via === via)
  if (!change)
    throw new GateError('not_found', `The ${identityName[via]} of ${member.name} has no change to confirm.`)
  return change
}

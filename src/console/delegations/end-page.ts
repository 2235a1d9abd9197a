import { z } from 'zod'
import {
  delegationNotFound,
  endDelegation,
  listDelegations,
} from '../../operations/delegations/delegations.ts'
import { delegationId } from '../../operations/ids.ts'
import { html } from '../../web/html.ts'
import { type PageContext, accountOf, definePage, idIn, readsAccount } from '../page.ts'
import { confirmation, facts, formProblem, moment, nameOf } from '../parts.ts'
import { delegationsPath, endDelegationPath } from './paths.ts'

/** Ends a delegation: for either of the two, or for an administrator. */
export const endDelegationPage = definePage({
  path: endDelegationPath(':delegation'),
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const row = await delegationIn(context)
    return {
      title: 'End delegation?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Deputy', nameOf(row.to_name)],
          ['Approves for', nameOf(row.from_name)],
          ['Until', moment(row.until)],
        ])}
        <p>
          The deputy approves nothing more for this member. What they approved and is still open counts no
          more. Both are told.
        </p>
        ${confirmation({ button: 'End delegation', back: delegationsPath })}`,
    }
  },
  async send(context) {
    const { session } = context
    const { delegation_id: id } = await delegationIn(context)
    await endDelegation({ ...accountOf(context), session: session.tokenHash }, id)
    return { to: delegationsPath, flash: 'delegation_ended' }
  },
})

async function delegationIn(context: PageContext) {
  const { session } = context
  const id = idIn(context, 'delegation', delegationId)
  const rows = await listDelegations(accountOf(context), readsAccount(session) ? null : session.memberId)
  const found = rows.find(({ delegation_id: one }) => one === id)
  if (!found) throw delegationNotFound()
  return found
}

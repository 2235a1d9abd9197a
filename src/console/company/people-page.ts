import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import {
  type IdentityRow,
  linkIdentity,
  listIdentities,
  unlinkIdentity,
} from '../../operations/company/identities.ts'
import { requireCompany } from '../../operations/company/settings.ts'
import { email, line } from '../../operations/entered-fields.ts'
import { identityId } from '../../operations/ids.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Part, html } from '../../web/html.ts'
import { type PageContext, accountOf, asAdmin, definePage, idIn } from '../page.ts'
import { choice, confirmation, facts, field, formProblem, moment, rowLink, table } from '../parts.ts'
import { companyPeoplePath, companySettingsPath } from './paths.ts'

/** Whom the company signs in as whom. */
export const companyPeoplePage = definePage({
  path: companyPeoplePath,
  role: 'admin',
  form: z.strictObject({
    subject: line(limits.companySubjectCharsMax),
    email,
    as: z.enum(['member', 'administrator'], 'must be member or administrator'),
  }),
  labels: { subject: 'Subject', email: 'E-mail', as: 'Signs in as' },
  async show(context, _query, rejected) {
    const { issuer } = await requireCompany(accountOf(context))
    const identities = await listIdentities(accountOf(context))
    return {
      title: 'People who sign in with your company',
      body: html`${formProblem(rejected)}
        <p>
          <bdi>${escapeInvisible(issuer)}</bdi> knows each person by a subject.
          <a href="${companySettingsPath}">Settings</a>
        </p>
        ${table(
          'People',
          ['Subject', 'Signs in as', 'Linked', 'Last sign-in', 'Actions'],
          identities.map((one) => [
            html`<code>${escapeInvisible(one.subject)}</code>`,
            whoOf(one),
            html`${moment(one.linked_at)}
              <span class="hint"
                >${one.linked_by === 'company' ? 'by the company' : 'by an administrator'}</span
              >`,
            moment(one.seen_at),
            rowLink(`${companyPeoplePath}/${one.identity_id}/unlink`, 'Unlink', one.subject),
          ]),
        )}
        <h2>Link a person</h2>
        <form method="post">
          ${field({
            name: 'subject',
            label: 'Subject',
            hint: 'The “sub” of their tokens. Somebody who is not linked is shown it when they sign in.',
            charsMax: limits.companySubjectCharsMax,
            rejected,
          })}
          ${field({ name: 'email', label: 'E-mail', type: 'email', hint: 'As in this account.', charsMax: limits.emailCharsMax, rejected })}
          ${choice({
            name: 'as',
            label: 'Signs in as',
            value: 'member',
            values: [
              ['member', 'Member'],
              ['administrator', 'Administrator or auditor'],
            ],
            rejected,
          })}
          <button type="submit">Link person</button>
        </form>
        <p class="hint">
          The member is told. Decisions in such sessions count as the agent’s word until the link is as old as
          a changed mailbox must be.
        </p>`,
    }
  },
  async send(context, given) {
    await linkIdentity(asAdmin(context), given)
    return { to: companyPeoplePath, flash: 'person_linked' }
  },
})

const whoOf = ({ member_id: id, member_name: name, admin_email: address }: IdentityRow): Part =>
  html`${id === null ? '' : html`<a href="/console/members/${id}"><bdi>${escapeInvisible(name ?? id)}</bdi></a>`}
  ${address === null ? '' : html`<span>${escapeInvisible(address)} (administration)</span>`}`

/** Confirms before a link is ended. */
export const unlinkPersonPage = definePage({
  path: `${companyPeoplePath}/:identity/unlink`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const found = await identityIn(context)
    return {
      title: 'Unlink person?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Subject', html`<code>${escapeInvisible(found.subject)}</code>`],
          ['Signs in as', whoOf(found)],
        ])}
        <p>Their sessions with the company end now.</p>
        ${confirmation({ button: 'Unlink person', back: companyPeoplePath })}`,
    }
  },
  async send(context) {
    const { identity_id: id } = await identityIn(context)
    await unlinkIdentity(asAdmin(context), id)
    return { to: companyPeoplePath, flash: 'person_unlinked' }
  },
})

async function identityIn(context: PageContext): Promise<IdentityRow> {
  const id = idIn(context, 'identity', identityId)
  const found = (await listIdentities(accountOf(context))).find((one) => one.identity_id === id)
  if (!found) throw new GateError('not_found', 'This link was not found. It may have been ended already.')
  return found
}

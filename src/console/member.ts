import { type CertificationEntry, standing } from '../gate/tier.ts'
import { memberId } from '../operations/admin/fields.ts'
import { type MemberRow, readMember } from '../operations/admin/members.ts'
import { html } from '../transports/html.ts'
import { membersPath, sourceOf } from './members.ts'
import { type Visit, accountOf, definePage, idIn } from './page.ts'
import { empty, facts, moment, rowLink, table, tierBadge } from './parts.ts'

/** The member whom the path names. @throws GateError `not_found` */
export const memberIn = (visit: Visit): Promise<MemberRow> =>
  readMember(accountOf(visit), idIn(visit, 'member', memberId))

export const memberPath = (id: string): string => `${membersPath}/${id}`

/** One member: who they are, how far they may go, why, and what can be changed. */
export const memberPage = definePage({
  path: `${membersPath}/:member`,
  role: 'admin',
  async show(visit) {
    const member = await memberIn(visit)
    const path = memberPath(member.memberId)
    const { tier, tierSource, certifications } = standing(member)
    return {
      title: member.name,
      body: html`${
          member.isActive
            ? ''
            : html`<p class="notice">Not active: no agent can act for them, and nothing reaches them.</p>`
        }
        ${facts([
          ['Member', html`<code>${member.memberId}</code>`],
          ['E-mail', member.email ?? 'none'],
          ['Slack', member.slack === null ? 'none' : html`<code>${member.slack}</code>`],
          ['Is reached by', reachedBy(member)],
        ])}
        <p>
          <a class="button" href="${path}/edit">Change name and identities</a>
          ${
            member.isActive
              ? html`<a class="button" href="${path}/deactivate">Deactivate</a>`
              : html`<a class="button" href="${path}/activate">Activate</a>`
          }
        </p>
        <section aria-labelledby="tier">
          <h2 id="tier">Tier</h2>
          <p>${tierBadge(tier)} ${sourceOf[tierSource]}</p>
          <p>
            <a class="button" href="${path}/tier"
              >${tierSource === 'admin' ? 'Set or clear' : 'Set'} the tier</a
            >
          </p>
        </section>
        <section aria-labelledby="certificates">
          <h2 id="certificates">Certificates</h2>
          ${
            certifications.length === 0
              ? empty(html`There is no curriculum to pass. <a href="/console/curricula/new">Add one</a>.`)
              : table(
                  'Certificates',
                  columns,
                  certifications.map((entry) => rowOf(path, entry)),
                )
          }
        </section>`,
    }
  },
})

const columns = ['Curriculum', 'Standing', 'Modules', 'Last passed', 'What to do']

const rowOf = (path: string, entry: CertificationEntry) => [
  entry.title,
  entry.certified
    ? html`<span class="badge good">certified</span>`
    : html`<span class="badge over">not certified</span>`,
  `${entry.modules_passed} of ${entry.modules_total}`,
  moment(entry.last_passed_at),
  rowLink(`${path}/passes/${entry.curriculum}`, 'Passes', `of ${entry.title}`),
]

function reachedBy({ isActive, slack, email }: MemberRow): string {
  if (!isActive) return 'nothing'
  if (slack !== null)
    return email === null ? 'Slack' : 'Slack and e-mail: by both or by Slack alone, as the policy says'
  return email === null ? 'nothing: they have neither Slack nor e-mail' : 'e-mail'
}

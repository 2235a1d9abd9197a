import { limits } from '../../limits.ts'
import { type MemberHabits, accountHabits } from '../../operations/members/habits.ts'
import { type Part, html } from '../../web/html.ts'
import { durationWords } from '../ledger/entry-words.ts'
import { definePage } from '../page.ts'
import { empty, table } from '../parts.ts'

/** How quickly members decide. Members who get too many requests stop reading them. */
export const decisionHabitsPage = definePage({
  path: '/console/habits',
  role: 'admin',
  async show({ deps, session }) {
    const { members, isCut, openMaxPerMember } = await accountHabits(deps, session.account)
    const flagged = members.filter((member) => member.isRubberStamping)
    return {
      title: 'Decision habits',
      body: html`<p>
          Very fast approvals may not have been reviewed. This page shows what each member, or an agent for
          them, confirmed in the last ${limits.habitsDays} days, and the time from proposal to confirm.
        </p>
        ${flagged.length === 0 ? '' : flagNotice(flagged)}
        ${
          members.length === 0
            ? empty(
                html`No decisions in this period, and no open proposals. New proposals appear under
                  <a href="/console/proposals">Proposals</a>.`,
              )
            : table(
                'Decisions by member',
                [
                  'Member',
                  'Confirmed',
                  'Declined or cancelled',
                  'Median',
                  'p90',
                  `Within ${limits.hastyDecisionMs / 1_000} s`,
                  'Open',
                ],
                members.map((member) => rowOf(member, openMaxPerMember)),
              )
        }
        ${isCut ? html`<p class="hint">Only the ${limits.habitsMembersMax} members with the most confirms are shown.</p>` : ''}
        <h2>Limit of open proposals</h2>
        <p>
          A member can have at most <strong>${openMaxPerMember}</strong> open proposals. Further proposals are
          refused. <a href="/console/policies#open_max_per_member">Change the limit</a>, or require the
          member’s own consent for important actions in the <a href="/console/policies">policy</a>.
        </p>
        <p class="hint">
          “hasty” means at least ${limits.hastyConfirmsMin} confirms, of which at least
          ${limits.hastySharePercentMin} % came within ${limits.hastyDecisionMs / 1_000} s of the proposal. It
          does not deny anything.
        </p>`,
    }
  },
})

function rowOf(member: MemberHabits, openMax: number): Part[] {
  const { memberId, name, label, isActive, confirmed, declined, medianMs, p90Ms, hasty, open } = member
  const share = confirmed === 0 ? '' : ` (${Math.round((hasty * 100) / confirmed)} %)`
  return [
    html`<a href="/console/members/${memberId}"><bdi>${name}</bdi></a>
      ${isActive ? '' : html`<span class="badge over">not active</span>`}
      ${member.isRubberStamping ? html`<span class="badge bad">hasty</span>` : ''}
      ${label === name ? '' : html`<span class="hint"><bdi>${label}</bdi></span>`}`,
    html`${confirmed}
    ${member.byMandate === 0 ? '' : html`<span class="hint">and ${member.byMandate} by mandate</span>`}`,
    declined,
    medianMs === null ? '–' : durationWords(medianMs),
    p90Ms === null ? '–' : durationWords(p90Ms),
    html`<span class="nowrap">${hasty}${share}</span>`,
    open >= openMax ? html`${open} <span class="badge bad">full</span>` : open,
  ]
}

const flagNotice = (flagged: MemberHabits[]): Part =>
  html`<p class="notice">
    ${
      flagged.length === 1
        ? html`Confirms for <bdi>${flagged[0]!.name}</bdi> are often too fast to be reviewed.`
        : `Confirms for ${flagged.length} members are often too fast to be reviewed.`
    }
    Talk to them, or reduce the number of requests.
  </p>`

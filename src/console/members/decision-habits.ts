import { limits } from '../../limits.ts'
import { type MemberHabits, accountHabits } from '../../operations/admin/habits.ts'
import { type Part, html } from '../../web/html.ts'
import { durationWords } from '../ledger/entry-words.ts'
import { definePage } from '../page.ts'
import { empty, table } from '../parts.ts'

/** How members decide: whoever is asked too often stops reading. */
export const decisionHabitsPage = definePage({
  path: '/console/habits',
  role: 'admin',
  async show({ deps, session }) {
    const { members, isCut, openMaxPerMember } = await accountHabits(deps, session.account)
    const flagged = members.filter((member) => member.isRubberStamping)
    return {
      title: 'How members decide',
      body: html`<p>
          Consent that is given without looking is none. This is what was confirmed for each member in the
          last ${limits.habitsDays} days, by them or by their agent, and how long it took from the proposal.
        </p>
        ${flagged.length === 0 ? '' : flagNotice(flagged)}
        ${
          members.length === 0
            ? empty(
                html`Nobody decided anything in that time, and nothing waits. Open proposals are at
                  <a href="/console/proposals">Proposals</a>.`,
              )
            : table(
                'Decisions by member',
                [
                  'Member',
                  'Confirmed',
                  'Declined or cancelled',
                  'Half within',
                  '9 of 10 within',
                  `Within ${limits.hastyDecisionMs / 1_000} s`,
                  'Waiting',
                ],
                members.map((member) => rowOf(member, openMaxPerMember)),
              )
        }
        ${isCut ? html`<p class="hint">The ${limits.habitsMembersMax} members who confirm most.</p>` : ''}
        <h2>When too much is asked</h2>
        <p>
          Of one member at most <strong>${openMaxPerMember}</strong> proposals may be open at once: one more
          is refused. <a href="/console/policies#open_max_per_member">Change it</a>, or have what matters ask
          for the member’s own consent by the floors of the <a href="/console/policies">policy</a>.
        </p>
        <p class="hint">
          A flag means ${limits.hastyConfirmsMin} confirms or more, of which ${limits.hastySharePercentMin} %
          or more came within ${limits.hastyDecisionMs / 1_000} s of the proposal. It denies nothing.
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
    confirmed,
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
        ? html`Nobody seems to look at what is confirmed for <bdi>${flagged[0]!.name}</bdi>.`
        : `Nobody seems to look at what is confirmed for ${flagged.length} members.`
    }
    Talk to them, or have fewer questions asked: a member’s word that is given in seconds is not consent.
  </p>`

import { standing } from '../../gate/tier.ts'
import { listConnected } from '../../operations/integrations/list-connections.ts'
import { recentChanges } from '../../operations/integrations/recent-changes.ts'
import {
  type GlassBreakRow,
  glassBreaksToReview,
  listGlassBreaks,
} from '../../operations/break-glass/glass-breaks.ts'
import { listEndpoints } from '../../operations/events/endpoints.ts'
import { readMember } from '../../operations/members/read-member.ts'
import { botOf } from '../../operations/maintenance/teams-bots.ts'
import { type FailingCalls, listFailingOf } from '../../operations/maintenance/failing-calls.ts'
import { type Overview, readOverview } from '../../operations/proposals/overview.ts'
import { readSealedTo } from '../../operations/seals/ledger-proofs.ts'
import { seeUpstreamsOf } from '../../operations/upstreams/troubles.ts'
import { readUnreportedCount } from '../../operations/runner-calls/runners-overview.ts'
import { reviewsPart } from '../break-glass/review-page.ts'
import { endpointsPart } from '../endpoints/troubles-part.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { botPart } from '../integrations/bot-part.ts'
import { changesPart } from '../integrations/list-page.ts'
import { sourceOf } from '../members/list-page.ts'
import { sealFaultsPart } from '../ledger/seal-part.ts'
import { type PageContext, accountOf, definePage, isAdmin, readsAccount } from '../page.ts'
import { policiesPath } from '../policies/form-schema.ts'
import { presetForm } from '../policies/preset-page.ts'
import { unreportedPart } from '../runners/unreported.ts'
import { troublesPart } from '../upstreams/troubles-part.ts'
import { stopSection } from '../stop-switch.ts'
import { facts, moment, nameOf, table, tierBadge } from '../parts.ts'
import { proposalsPath } from '../proposals/list-page.ts'
import { activitySection } from './activity-section.ts'
import { waitingSection } from './waiting.ts'

/** The start page: open decisions, the state of the account, and the user's own details. */
export const overviewPage = definePage({
  path: '/console',
  async show(context) {
    const { session } = context
    const [waiting, reviews, account, tier] = await Promise.all([
      waitingSection(context),
      reviewsOf(context),
      session.adminId === null ? '' : accountPart(context),
      session.memberId === null ? '' : tierPart(context, session.memberId),
    ])
    return {
      title: 'Overview',
      refresh: 'later',
      body: html`${waiting} ${reviewsPart(reviews)} ${account} ${tier} ${youPart(context)}`,
    }
  },
})

/** What was executed alone and waits for a review: all of it, or what the member could have approved. */
const reviewsOf = (context: PageContext): Promise<GlassBreakRow[]> =>
  readsAccount(context.session)
    ? listGlassBreaks(accountOf(context), { isOpenOnly: true })
    : glassBreaksToReview(context.deps, context.session)

async function accountPart(context: PageContext): Promise<Html> {
  const { deps, session } = context
  const [overview, changes, unreported, sealed, { troubles }, failing, endpoints, bot, activity] =
    await Promise.all([
      readOverview(deps, session),
      listConnected(deps, session.account).then((connections) =>
        recentChanges(deps.db, session.account, connections),
      ),
      readUnreportedCount(deps, session.account),
      readSealedTo(deps.db, session.account),
      seeUpstreamsOf(accountOf(context)),
      listFailingOf(accountOf(context)),
      listEndpoints(accountOf(context)),
      botOf(deps.db, session.account),
      activitySection(context),
    ])
  const { figures, denials, agentsWord, isPolicyUnset } = overview
  return html`${sealFaultsPart(sealed)} ${failingPart(failing)} ${endpointsPart(endpoints)} ${botPart(bot)}
    ${troublesPart(troubles)} ${changesPart(changes)} ${activity}
    <dl class="figures">
      ${figure('Open proposals', figures.open_proposals, proposalsPath)}
      ${figure('Denied in 24 hours', `${denials.count}${denials.isMore ? '+' : ''}`, '/console/ledger?status=denied')}
      ${figure('Previews running', figures.live_previews, '/console/previews')}
      ${figure('Active API keys', figures.keys_in_force, '/console/keys')}
      ${figure('Active members', figures.active_members, '/console/members')}
    </dl>
    <p>Allowed on the agent’s word alone: ${agentsWord}. <a href="${policiesPath}">Change policy</a></p>
    ${unreportedPart(unreported)} ${isPolicyUnset ? presetPart() : ''}
    ${denials.count === 0 ? '' : denialsPart(denials)}
    ${stopSection(session, 'Suspending the account stops running actions and refuses every confirm and every tool call until you resume it.')}`
}

/** Executors and providers whose calls fail. Nothing where there are none. */
const failingPart = (failing: FailingCalls[]): Part =>
  failing.map(
    ({ target, failing_since: since, code, actions }) =>
      html`<p class="problem">
        Calls of <code>${target}</code> fail since ${moment(since)} (${code}).
        <a href="${proposalsPath}"
          >${actions === 1 ? '1 running action waits' : `${actions} running actions wait`}</a
        >.
      </p>`,
  )

/** Shown to administrators until a policy is set. */
const presetPart = (): Html =>
  html`<section class="first" aria-labelledby="preset">
    <h2 id="preset">Policy preset</h2>
    <p>
      This account uses the default policy. Choose how much agents can do without the member’s own consent.
      You can change every rule later.
    </p>
    ${presetForm()}
  </section>`

const figure = (name: string, value: string | number, href?: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${href === undefined ? value : html`<a href="${href}">${value}</a>`}</dd>
  </div>`

const denialsPart = ({ newest }: Overview['denials']): Html =>
  html`<section aria-labelledby="denied">
    <h2 id="denied">Recently denied</h2>
    ${table(
      'Recently denied',
      ['Action', 'Denied', 'Member', 'Reason'],
      newest.map(({ row, headline, deniedAt }): Part[] => [
        html`<a href="${proposalsPath}/${row.id}"><bdi>${escapeInvisible(headline)}</bdi> #${row.id}</a>`,
        moment(deniedAt),
        nameOf(row.member),
        prose(row.denial_reason ?? ''),
      ]),
    )}
  </section>`

async function tierPart({ deps, session }: PageContext, memberId: string): Promise<Html> {
  const member = await readMember(accountOf({ deps, session, params: {} }), memberId)
  const { tier, tierSource } = standing(member)
  return html`<section aria-labelledby="tier">
    <h2 id="tier">Your tier</h2>
    <p>${tierBadge(tier)} ${sourceOf[tierSource]}</p>
  </section>`
}

function youPart({ session }: PageContext): Html {
  return html`<section aria-labelledby="you">
    <h2 id="you">Your account</h2>
    ${facts([
      ['Signed in as', session.address],
      ['Account', html`${session.accountName} <code>${session.account}</code>`],
      ['Role', rolesOf(session)],
      ['Signed in', moment(session.startedAt)],
    ])}
    <p><a href="/console/sessions">Your sessions</a></p>
  </section>`
}

const rolesOf = (session: PageContext['session']): string =>
  [
    ...(readsAccount(session) ? [isAdmin(session) ? 'administrator' : 'auditor'] : []),
    ...(session.memberId === null ? [] : ['member']),
  ].join(' and ')

import { limits } from '../limits.ts'
import { standing } from '../gate/tier.ts'
import { listConnected, recentChanges } from '../operations/admin/integrations.ts'
import { readMember } from '../operations/admin/members.ts'
import { type Overview, readOpenProposals, readOverview } from '../operations/proposals/overview.ts'
import { type Html, type Part, html } from '../web/html.ts'
import { changesPart } from './integrations/list-page.ts'
import { sourceOf } from './members/list-page.ts'
import { type PageContext, accountOf, definePage } from './page.ts'
import { policiesPath } from './policies/form-schema.ts'
import { presetForm } from './policies/preset-page.ts'
import { empty, facts, moment, nameOf, table, tierBadge } from './parts.ts'
import { kindName, proposalTable, proposalsPath } from './proposals/list-page.ts'

/** Where everybody lands: what is going on, and who one is. */
export const overviewPage = definePage({
  path: '/console',
  async show(context) {
    const { session } = context
    return {
      title: 'Overview',
      body: html`${session.memberId === null ? '' : await decisionsPart(context)}
      ${session.adminId === null ? '' : await accountPart(context)}
      ${session.memberId === null ? '' : await tierPart(context, session.memberId)} ${await youPart(context)}`,
    }
  },
})

async function accountPart({ deps, session }: PageContext): Promise<Html> {
  const { figures, denials, agentsWord, isPolicyUnset } = await readOverview(deps, session)
  const connections = await listConnected(deps, session.account)
  const changes = await recentChanges(deps.db, session.account, connections)
  return html`${isPolicyUnset ? presetPart() : ''}
    <dl class="figures">
      ${figure('Open proposals', figures.open_proposals, proposalsPath)}
      ${figure('Denied in 24 hours', `${denials.count}${denials.isMore ? '+' : ''}`)}
      ${figure('Previews running', figures.live_previews, '/console/previews')}
      ${figure('API keys in force', figures.keys_in_force, '/console/keys')}
      ${figure('Active members', figures.active_members, '/console/members')}
    </dl>
    <p>Agent’s word alone, now: ${agentsWord}. <a href="${policiesPath}">Change the policy</a></p>
    ${changesPart(changes)} ${denials.count === 0 ? '' : denialsPart(denials)}
    <section aria-labelledby="stop">
      <h2 id="stop">Stop switch</h2>
      ${
        session.isSuspended
          ? html`<p>The account is suspended: confirms are refused, and nothing is sent.</p>
              <p><a class="button" href="/console/account/resume">Let it go on</a></p>`
          : html`<p>Stops everything that is being sent, and refuses every confirm, until it is released.</p>
              <p><a class="button" href="/console/account/suspend">Suspend the account</a></p>`
      }
    </section>`
}

/** Shown to administrators until a policy is set. */
const presetPart = (): Html =>
  html`<section class="first" aria-labelledby="preset">
    <h2 id="preset">Choose how much the agent’s word may do</h2>
    <p>This account never set a policy: the defaults hold. You can change every rule later.</p>
    ${presetForm()}
  </section>`

const figure = (name: string, value: string | number, href?: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${href === undefined ? value : html`<a href="${href}">${value}</a>`}</dd>
  </div>`

const denialsPart = ({ newest }: Overview['denials']): Html =>
  html`<section aria-labelledby="denied">
    <h2 id="denied">Denied of late</h2>
    ${table(
      'Denied of late',
      ['Action', 'When', 'Of', 'Why'],
      newest.map((row): Part[] => [
        html`<a href="${proposalsPath}/${row.id}">${kindName(row.kind)} #${row.id}</a>`,
        moment(row.created_at),
        nameOf(row.member),
        row.denial_reason ?? '',
      ]),
    )}
  </section>`

/** What a member is to decide comes first: nobody else can. */
async function decisionsPart({ deps, session }: PageContext): Promise<Html> {
  const rowsMax = limits.consoleRowsPerPage
  const own = await readOpenProposals(deps, session, { after: 0, limitRows: rowsMax + 1, own: true })
  const waiting = own.filter(({ row }) => row.execution === undefined).length
  const count = own.length > rowsMax ? `${rowsMax}+` : waiting
  return html`<section class="first" aria-labelledby="yours">
    <h2 id="yours">${waiting === 0 ? 'Proposed for you' : html`Waiting for your decision: ${count}`}</h2>
    ${
      own.length === 0
        ? empty(
            'Nothing waits for you. When an agent proposes something for you, it stands here until you decide.',
          )
        : proposalTable(own.slice(0, rowsMax))
    }
  </section>`
}

async function tierPart({ deps, session }: PageContext, memberId: string): Promise<Html> {
  const member = await readMember(accountOf({ deps, session, params: {} }), memberId)
  const { tier, tierSource } = standing(member)
  return html`<section aria-labelledby="tier">
    <h2 id="tier">Your tier</h2>
    <p>${tierBadge(tier)} ${sourceOf[tierSource]}</p>
  </section>`
}

async function youPart({ session }: PageContext): Promise<Html> {
  return html`<section aria-labelledby="you">
    <h2 id="you">You</h2>
    ${facts([
      ['Signed in as', session.address],
      ['Account', html`${session.accountName} <code>${session.account}</code>`],
      ['You are', rolesOf(session)],
      ['Signed in', moment(session.startedAt)],
    ])}
    <p><a href="/console/sessions">Your sessions</a></p>
  </section>`
}

const rolesOf = (session: { adminId: string | null; memberId: string | null }): string =>
  [
    ...(session.adminId === null ? [] : ['an administrator']),
    ...(session.memberId === null ? [] : ['a member']),
  ].join(' and ')

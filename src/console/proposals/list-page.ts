import { connectPath } from '../connect/connect-path.ts'
import { z } from 'zod'
import { formatAmount } from '../../gate/money.ts'
import { limits } from '../../limits.ts'
import type { ShownAction } from '../../operations/actions/shown-action.ts'
import { readOpenProposals } from '../../operations/proposals/overview.ts'
import type { ActionRequest } from '../../operations/schemas.ts'
import type { Session } from '../../operations/sign-in/session.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { optionally } from '../forms.ts'
import { rowId } from '../row-id.ts'
import { definePage } from '../page.ts'
import { empty, moment, nameOf, nextPage, table } from '../parts.ts'

export const proposalsPath = '/console/proposals'

/** Open proposals, oldest first: an administrator sees all, a member their own. */
export const proposalsPage = definePage({
  path: proposalsPath,
  query: z.strictObject({ after: optionally(rowId) }),
  async show({ deps, session }, { after }) {
    const found = await readOpenProposals(deps, session, {
      after: after ?? 0,
      limitRows: limits.consoleRowsPerPage + 1,
    })
    const proposals = found.slice(0, limits.consoleRowsPerPage)
    const next = found.length > proposals.length ? proposals.at(-1)!.row.id : undefined
    return {
      title: 'Open proposals',
      refresh: 'later',
      body: html`<p>${introduction(session)}</p>
        ${proposals.length === 0 ? empty(noProposals(session)) : proposalTable(proposals)}
        ${nextPage(next === undefined ? undefined : `${proposalsPath}?after=${next}`)}`,
    }
  },
})

const introduction = ({ adminId }: Session): string =>
  adminId === null
    ? 'Actions that agents proposed for you and that wait for your decision. Nothing is executed before you approve.'
    : 'Actions that agents proposed and that wait for a decision. Only the member can decide; administrators can cancel.'

const noProposals = ({ adminId }: Session): Part =>
  adminId === null
    ? 'No open proposals. When an agent proposes something for you, it appears here until you decide.'
    : html`No open proposals. Agents create proposals over REST or MCP:
        <a href="${connectPath}">connect an agent</a>, or read the
        <a href="/llms.txt">instructions for agents</a>.`

export const proposalTable = (proposals: ShownAction[]): Html =>
  table(
    'Open proposals',
    ['Proposal', 'What', 'Member', 'Recipients', 'Proposed', 'Expires'],
    proposals.map(rowOf),
  )

const rowOf = ({ row, title, headline }: ShownAction): Part[] => [
  html`<a href="${proposalsPath}/${row.id}">${title} <span class="nowrap">#${row.id}</span></a>`,
  html`<bdi>${escapeInvisible(headline)}</bdi>`,
  nameOf(row.member),
  reachPart(row),
  moment(row.created_at),
  row.execution ? html`<span class="badge">running</span>` : moment(row.expires_at ?? null),
]

/** `subscription_cancellation` → `subscription cancellation`. */
export const kindName = (kind: string): string => kind.replaceAll('_', ' ')

/** The number of recipients, by channel. */
export function reachPart({ blast_radius: reach }: ActionRequest): Part {
  const total = reach.slack + reach.email
  if (total + reach.unreachable === 0) return html`<span class="none">none</span>`
  const parts = [
    ...(reach.slack > 0 ? [`${reach.slack} by Slack`] : []),
    ...(reach.email > 0 ? [`${reach.email} by e-mail`] : []),
    ...(reach.unreachable > 0 ? [`${reach.unreachable} unreachable`] : []),
  ]
  return html`${total} ${total === 1 ? 'person' : 'people'} <span class="ago">${parts.join(', ')}</span>`
}

export const amountPart = (weight: ShownAction['weight']): Part =>
  weight === null
    ? html`<span class="none">none</span>`
    : html`<span class="number">${formatAmount(weight.amountCents, weight.currency)}</span>`

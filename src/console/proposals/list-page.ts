import { z } from 'zod'
import { formatAmount } from '../../gate/money.ts'
import { limits } from '../../limits.ts'
import { type ShownAction, readOpenProposals } from '../../operations/proposals/overview.ts'
import type { ActionRequest } from '../../operations/schemas.ts'
import type { Session } from '../../operations/sign-in/session.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { rowId } from '../row-id.ts'
import { definePage } from '../page.ts'
import { empty, moment, nameOf, nextPage, table } from '../parts.ts'

export const proposalsPath = '/console/proposals'

/** What waits for a decision, oldest first: an administrator sees all, a member their own. */
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
      body: html`<p>${introduction(session)}</p>
        ${proposals.length === 0 ? empty(noProposals(session)) : proposalTable(proposals)}
        ${nextPage(next === undefined ? undefined : `${proposalsPath}?after=${next}`)}`,
    }
  },
})

const introduction = ({ adminId }: Session): string =>
  adminId === null
    ? 'What agents have proposed for you and nobody has decided. Nothing of it happens before you consent.'
    : 'What agents have proposed and nobody has decided. Only the member who proposed it decides; you may cancel it.'

const noProposals = ({ adminId }: Session): Part =>
  adminId === null
    ? 'Nothing waits for you. When an agent proposes something for you, it stands here until you decide.'
    : html`Nothing is open. Proposals come from agents, over REST or MCP:
        <a href="/llms.txt">what an agent has to know</a>.`

export const proposalTable = (proposals: ShownAction[]): Html =>
  table('Open proposals', ['Proposal', 'Proposed', 'By', 'Reach', 'Amount', 'State'], proposals.map(rowOf))

const rowOf = ({ row, weight }: ShownAction): Part[] => [
  html`<a href="${proposalsPath}/${row.id}">${kindName(row.kind)} #${row.id}</a>`,
  moment(row.created_at),
  nameOf(row.member),
  reachPart(row),
  amountPart(weight),
  row.execution ? 'being executed' : html`waits <span class="ago">${expiryOf(row)}</span>`,
]

const expiryOf = ({ expires_at }: ActionRequest): Part =>
  expires_at === undefined ? '' : html`until ${expires_at.slice(0, 16).replace('T', ' ')} UTC`

/** `subscription_cancellation` → `subscription cancellation`. */
export const kindName = (kind: string): string => kind.replaceAll('_', ' ')

/** How many people it reaches, by channel. */
export function reachPart({ blast_radius: reach }: ActionRequest): Part {
  const total = reach.slack + reach.email
  if (total + reach.unreachable === 0) return html`<span class="none">nobody</span>`
  const parts = [
    ...(reach.slack > 0 ? [`${reach.slack} by Slack`] : []),
    ...(reach.email > 0 ? [`${reach.email} by e-mail`] : []),
    ...(reach.unreachable > 0 ? [`${reach.unreachable} cannot be reached`] : []),
  ]
  return html`${total} ${total === 1 ? 'person' : 'people'} <span class="ago">${parts.join(', ')}</span>`
}

export const amountPart = (weight: ShownAction['weight']): Part =>
  weight === null
    ? html`<span class="none">none</span>`
    : html`<span class="number">${formatAmount(weight.amountCents, weight.currency)}</span>`

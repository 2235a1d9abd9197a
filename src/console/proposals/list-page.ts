import { formatAmount } from '../../gate/money.ts'
import type { ShownAction } from '../../operations/actions/shown-action.ts'
import type { ActionRequest } from '../../operations/schemas.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { moment, nameOf, table } from '../parts.ts'

export const proposalsPath = '/console/proposals'

/** Tells the list that it changed. */
export const inboxChangesPath = `${proposalsPath}/changes`

/** Actions as a table. @param label  what it lists */
export const proposalTable = (label: string, proposals: ShownAction[]): Html =>
  table(label, ['Proposal', 'What', 'Member', 'Recipients', 'Proposed', 'Expires'], proposals.map(rowOf))

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
  const teams = reach.teams ?? 0
  if (total + reach.unreachable + teams === 0) return html`<span class="none">none</span>`
  const parts = [
    ...(reach.slack > 0 ? [`${reach.slack} by Slack`] : []),
    ...(reach.email > 0 ? [`${reach.email} by e-mail`] : []),
    ...(teams > 0 ? ['1 post in Microsoft Teams'] : []),
    ...(reach.unreachable > 0 ? [`${reach.unreachable} unreachable`] : []),
  ]
  return html`${total} ${total === 1 ? 'person' : 'people'} <span class="ago">${parts.join(', ')}</span>`
}

export const amountPart = (weight: ShownAction['weight']): Part =>
  weight === null
    ? html`<span class="none">none</span>`
    : html`<span class="number">${formatAmount(weight.amountCents, weight.currency)}</span>`

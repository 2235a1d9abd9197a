import type { ActionRequest } from '../../operations/schemas.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, html } from '../../web/html.ts'
import { exactTime, moment } from '../parts.ts'

/** A decision: its strength, by whom, the channel, and when. */
export const consentWords = (
  { strength, by, channel, at, mandate }: NonNullable<ActionRequest['consent']>,
  kind: string,
): Html =>
  html`<span class="badge ${strength}">${strength}</span> by
    ${mandate ? html`<a href="/console/proposals/${mandate.id}">mandate #${mandate.id}</a>` : html`<bdi>${by}</bdi>`}
    ${throughWords(strength, channel, kind)}, ${exactTime(at)}`

/** An open consent request: the channel, since when, and the required strength. */
export const consentRequestWords = (request: NonNullable<ActionRequest['consent_request']>): Html =>
  html`sent ${request.requested_via === 'email' ? 'by e-mail' : channelWords[request.requested_via]!}
    ${moment(request.requested_at)}, requires consent
    <span class="badge ${request.required}">${request.required}</span>`

/** What the member changed before they approved, field by field; undefined where they changed nothing. */
export function changesPart({
  edited_by_member: edited,
}: Pick<ActionRequest, 'edited_by_member'>): Html | undefined {
  if (!edited) return undefined
  if (edited.changes.length === 0) return html`yes; the payload was erased`
  return html`<ul>
    ${edited.changes.map(
      ({ field, from, to }) =>
        html`<li>
          <code>${field}</code>: <bdi>${shownValue(to)}</bdi>, before:
          <bdi>${shownValue(from)}</bdi>
        </li>`,
    )}
  </ul>`
}

const shownValue = (value: unknown): string => {
  if (value === undefined) return 'none'
  return escapeInvisible(typeof value === 'string' ? `“${value}”` : JSON.stringify(value))
}

// An integration connected by its link without a session counts as the agent's word, and so does a changed identity.
const throughWords = (strength: string, channel: string, kind: string): string =>
  channel === 'console' && strength === 'agent_attested' && kind === 'integration'
    ? 'with the link their agent was given'
    : (channelWords[channel] ?? channel)

const channelWords: Record<string, string> = {
  api: 'through their agent (REST)',
  mcp: 'through their agent (MCP)',
  slack: 'in Slack',
  teams: 'in Teams',
  email: 'with the link in their e-mail',
  console: 'in the console',
}

/** Who or what closed a proposal without executing it. */
const closedByWords: Record<NonNullable<ActionRequest['closed_reason']>, string> = {
  admin: 'administrator cancelled',
  expired: 'expired',
  member_declined: 'member declined',
  approver_declined: 'an approver declined',
  proposer: 'agent cancelled',
  refused: 'provider refused',
}

/** How a proposal was closed without being executed; undefined where it was not. */
export function closedWords({
  closed_reason: reason,
  consent,
}: Pick<ActionRequest, 'closed_reason' | 'consent'>): string | undefined {
  if (reason === undefined) return undefined
  // Before a member's own decline had a name of its own, it was recorded as `proposer`.
  const isMembers =
    reason === 'proposer' && ['slack', 'teams', 'email', 'console'].includes(consent?.channel ?? '')
  return closedByWords[isMembers ? 'member_declined' : reason]
}

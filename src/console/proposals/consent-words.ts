import type { ActionRequest } from '../../operations/schemas.ts'
import { type Html, html } from '../../web/html.ts'
import { exactTime } from '../ledger/entries.ts'
import { moment } from '../parts.ts'

/** How a row was decided: how strong, by whom, through what, when. */
export const consentWords = (
  { strength, by, channel, at }: NonNullable<ActionRequest['consent']>,
  kind: string,
): Html =>
  html`<span class="badge ${strength}">${strength}</span> by
    <bdi>${by}</bdi> ${throughWords(strength, channel, kind)}, ${exactTime(at)}`

/** That a member is being asked themself: what for, through what, since when. */
export const consentRequestWords = (request: NonNullable<ActionRequest['consent_request']>): Html =>
  html`${request.requested_via === 'slack' ? 'in Slack' : 'by e-mail'}, ${moment(request.requested_at)}, for
    consent <span class="badge ${request.required}">${request.required}</span>`

// A provider is connected on a page of ours that nobody has to sign in to. A changed identity counts as the agent's word, too.
const throughWords = (strength: string, channel: string, kind: string): string =>
  channel === 'console' && strength === 'agent_attested' && kind === 'integration'
    ? 'by the link that their agent was given'
    : (channelWords[channel] ?? channel)

const channelWords: Record<string, string> = {
  api: 'by their agent, over the API',
  mcp: 'by their agent, over MCP',
  slack: 'in their Slack',
  email: 'by the link in their mail',
  console: 'in the console',
}

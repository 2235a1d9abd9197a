import { type ActionRequest } from '../operations/schemas.ts'
import { type Html, html } from '../transports/html.ts'
import { exactly } from './ledger/entries.ts'
import { moment } from './parts.ts'

/** How a row was decided: how strong, by whom, through what, when. */
export const consentWords = ({ strength, by, channel, at }: NonNullable<ActionRequest['consent']>): Html =>
  html`<span class="badge ${strength}">${strength}</span> by
    <bdi>${by}</bdi> ${channelWords[channel] ?? channel}, ${exactly(at)}`

/** That a member is being asked themself: what for, through what, since when. */
export const askedWords = (request: NonNullable<ActionRequest['consent_request']>): Html =>
  html`for consent by ${request.required}, ${channelWords[request.requested_via] ?? request.requested_via},
  ${moment(request.requested_at)}`

const channelWords: Record<string, string> = {
  api: 'by their agent, over the API',
  mcp: 'by their agent, over MCP',
  slack: 'in Slack',
  email: 'by e-mail',
  console: 'in the console',
}

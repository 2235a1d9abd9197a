import { type UpstreamRow, listUpstreams } from '../../operations/upstreams/servers.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { accountOf, definePage } from '../page.ts'
import { empty, moment, rowLink, table } from '../parts.ts'
import { newUpstreamPath, upstreamPathOf, upstreamsPath } from './paths.ts'

/** The MCP servers behind the gate. */
export const upstreamsPage = definePage({
  path: upstreamsPath,
  role: 'admin',
  async show(context) {
    const servers = await listUpstreams(accountOf(context))
    return {
      title: 'MCP servers',
      body: html`<p>
          Tools of these servers are called at the gate. Each tool is reviewed before agents see it, and its
          rule says whether a call is passed on, proposed to the member, or denied.
        </p>
        <p><a class="button primary" href="${newUpstreamPath}">Add MCP server</a></p>
        ${
          servers.length === 0
            ? empty(html`No MCP servers. <a href="${newUpstreamPath}">Add an MCP server</a>.`)
            : table(
                'MCP servers',
                ['Name', 'Address', 'State', 'Last read', 'Tools', 'Actions'],
                servers.map(rowOf),
              )
        }`,
    }
  },
})

const rowOf = (one: UpstreamRow): Part[] => [
  html`<a href="${upstreamPathOf(one.upstream)}">${one.upstream}</a>`,
  placeOf(one),
  serverBadge(one),
  moment(one.checked_at),
  toolsPart(one),
  html`${rowLink(`${upstreamPathOf(one.upstream)}/refresh`, 'Read tools', one.upstream)}
  ${rowLink(`${upstreamPathOf(one.upstream)}/remove`, 'Remove', one.upstream)}`,
]

/** The tools of a server by state. */
const toolsPart = ({ tools, unreviewed, quarantined, gone }: UpstreamRow): Part => [
  `${tools - unreviewed - quarantined} reviewed`,
  unreviewed === 0 ? '' : `, ${unreviewed} new`,
  quarantined === 0 ? '' : html`, <strong class="tone bad">${quarantined} quarantined</strong>`,
  gone === 0 ? '' : `, ${gone} gone`,
]

/** How a server is reached. */
export const placeOf = ({ url, command }: Pick<UpstreamRow, 'url' | 'command'>): Part =>
  url === null ? html`command <code>${command ?? ''}</code>` : html`<code>${url}</code>`

/** Whether the tools of a server can be read. */
export function serverBadge({ failing_since: failing, checked_at: checked }: UpstreamRow): Html {
  if (failing !== null) return html`<span class="badge bad">cannot be read</span>`
  return checked === null
    ? html`<span class="badge">not read yet</span>`
    : html`<span class="badge good">read</span>`
}

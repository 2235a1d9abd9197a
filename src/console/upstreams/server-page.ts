import { type UpstreamTool, listTools } from '../../operations/upstreams/review.ts'
import { type UpstreamRow, readUpstream } from '../../operations/upstreams/servers.ts'
import { upstreamName } from '../../operations/upstreams/fields.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type PageContext, accountOf, definePage, idIn } from '../page.ts'
import { breakable, empty, facts, moment, rowLink, table } from '../parts.ts'
import { foreignText, writtenBy } from './foreign-text.ts'
import { placeOf, serverBadge } from './list-page.ts'
import { toolPathOf, upstreamPathOf, upstreamsPath } from './paths.ts'
import { claimPart, isWaiting, ruleWord, stateBadge } from './tool-parts.ts'

/** One MCP server with its tools. */
export const upstreamPage = definePage({
  path: upstreamPathOf(':upstream'),
  role: 'admin',
  async show(context) {
    const server = await serverIn(context)
    const tools = await listTools(accountOf(context), server.upstream)
    return {
      title: `MCP server ${server.upstream}`,
      body: html`<p class="line">${serverBadge(server)} ${placeOf(server)}</p>
        ${facts(serverFacts(server))} ${failurePart(server)} ${actionsPart(server)}
        <h2 id="tools">Tools</h2>
        ${waitingPart(tools)}
        ${
          tools.length === 0
            ? empty('It lists no tool that can be served.')
            : table(
                'Tools',
                ['Tool', 'State', 'Rule', 'Server', 'Reviewed', 'Actions'],
                tools.map((tool) => rowOf(server.upstream, tool)),
              )
        }
        ${refusedPart(server)} ${unreadablePart(server.upstream, tools)}
        <p class="pager"><a href="${upstreamsPath}">All MCP servers</a></p>`,
    }
  },
})

/** The server that the address names. @throws GateError `not_found` */
export const serverIn = (context: PageContext): Promise<UpstreamRow> =>
  readUpstream(accountOf(context), nameIn(context))

export const nameIn = (context: PageContext): string => idIn(context, 'upstream', upstreamName)

const serverFacts = (server: UpstreamRow): [string, Part][] => [
  ['Added', moment(server.added_at)],
  ['Last read', moment(server.checked_at)],
  ...(server.failing_since === null
    ? []
    : ([['Not readable since', moment(server.failing_since)]] satisfies [string, Part][])),
  ...(server.url === null
    ? []
    : ([
        [
          'Headers',
          server.headers.length === 0
            ? html`<span class="none">none</span>`
            : html`${server.headers.map((header) => html`<code>${header}</code> `)}, encrypted and never shown`,
        ],
      ] satisfies [string, Part][])),
]

/** What a server says of itself, and why it cannot be read: both can be in its own words. */
const failurePart = ({ upstream, failure, server }: UpstreamRow): Html =>
  html`${
    failure === null
      ? ''
      : html`<p class="problem" role="alert">
            The tools could not be read. Those that are known stay as they are.
          </p>
          ${foreignText(`Reason. It can quote the MCP server ${upstream}`, failure)}`
  }
  ${server === null ? '' : foreignText(writtenBy(upstream, 'Name and version'), `${server.name} ${server.version}, MCP ${server.protocol}`)}`

const actionsPart = ({ upstream, url }: UpstreamRow): Html =>
  html`<div class="beside">
    <form method="post" action="${upstreamPathOf(upstream)}/refresh">
      <button type="submit">Read tools now</button>
    </form>
    <p>
      ${url === null ? '' : html`<a class="button" href="${upstreamPathOf(upstream)}/headers">Replace headers</a>`}
      <a class="button" href="${upstreamPathOf(upstream)}/remove">Remove MCP server</a>
    </p>
  </div>`

const waitingPart = (tools: UpstreamTool[]): Part => {
  const waiting = tools.filter(isWaiting).length
  if (waiting === 0) return ''
  return html`<p class="notice">
    ${waiting === 1 ? '1 tool waits' : `${waiting} tools wait`} for a review. Calls of
    ${waiting === 1 ? 'it' : 'them'} are denied until then.
  </p>`
}

const rowOf = (upstream: string, tool: UpstreamTool): Part[] => [
  html`<a href="${toolPathOf(upstream, tool.tool)}">${breakable(tool.tool)}</a>`,
  stateBadge(tool),
  ruleWord(tool),
  claimPart(tool),
  moment(tool.reviewed_at),
  html`${isWaiting(tool) ? rowLink(`${toolPathOf(upstream, tool.tool)}/review`, 'Review', tool.tool) : ''}
  ${rowLink(`${toolPathOf(upstream, tool.tool)}/rule`, 'Rule', tool.tool)}`,
]

const refusedPart = ({ upstream, refused }: UpstreamRow): Part =>
  refused.length === 0
    ? ''
    : html`<h2 id="refused">Not served</h2>
        <p>The server also lists tools that the gate cannot serve.</p>
        ${foreignText(
          writtenBy(upstream, 'Names of tools'),
          refused.map(({ tool, why }) => `${JSON.stringify(tool)}: ${why}`).join('\n'),
        )}`

const unreadablePart = (upstream: string, tools: UpstreamTool[]): Part => {
  const lines = tools.flatMap(({ name, unreadable }) =>
    unreadable === undefined ? [] : [`${name}: ${unreadable}`],
  )
  return lines.length === 0
    ? ''
    : html`<h2 id="left-out">Schemas left out</h2>
        <p>An agent's program would give up the tool, or the whole list, over such a schema.</p>
        ${foreignText(`Reasons. They can quote the MCP server ${upstream}`, lines.join('\n'))}`
}

import type { UpstreamTrouble } from '../../operations/upstreams/troubles.ts'
import { type Part, html } from '../../web/html.ts'
import { moment } from '../parts.ts'
import { upstreamPathOf } from './paths.ts'

/** On the overview: servers with tools in quarantine, and servers that cannot be read. Nothing where there are none. */
export const troublesPart = (troubles: UpstreamTrouble[]): Part =>
  troubles.map(
    (one) =>
      html`<p class="notice">
        MCP server <a href="${upstreamPathOf(one.upstream)}">${one.upstream}</a>: ${wordsOf(one)}.
      </p>`,
  )

function wordsOf({ quarantined, failing_since: failing }: UpstreamTrouble): Part {
  const tools =
    quarantined === 0
      ? ''
      : `${quarantined} ${quarantined === 1 ? 'tool' : 'tools'} in quarantine, denied until a review`
  if (failing === null) return tools
  return html`${tools}${tools === '' ? '' : '; '}its tools could not be read since ${moment(failing)}`
}

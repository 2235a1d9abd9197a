import type { CallChange } from '../../gate/runner-calls/dry-run.ts'
import { limits } from '../../limits.ts'
import type { ReviewedCalls } from '../../operations/policy/dry-run-calls.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { empty, table } from '../parts.ts'

/** The dry run on tool calls; nothing where the rules about them stay the same. */
export function toolCallsPart(review: ReviewedCalls | null): Part {
  if (review === null) return ''
  const { calls, isCut } = review
  return html`<h3>Tool calls</h3>
    ${
      calls === 0
        ? empty('No tool calls in this period to compare.')
        : html`<p>
              Each call is checked against both policies, with the tier its member had at the
              time.${isCut ? ` Only the newest ${calls} calls are included.` : ''} Secrets in inputs were
              masked when they were stored.
            </p>
            ${summary(review)} ${changesTable(review)}`
    }`
}

function summary({ calls, unknown, counts }: ReviewedCalls): Html {
  const changes = (Object.keys(changeWords) as CallChange[])
    .filter((change) => counts[change] > 0)
    .map((change) => `${counts[change]} ${changeWords[change]}`)
  const ofUnknown = unknown === 0 ? [] : [`${unknown} cannot be compared: their input was not kept`]
  const said = [...changes, ...ofUnknown]
  return html`<p>
    ${calls} ${calls === 1 ? 'call' : 'calls'}:
    ${said.length === 0 ? 'none has a different result' : said.join('; ')}.
  </p>`
}

const changeWords: Record<CallChange, string> = {
  denied: 'would be denied',
  allowed: 'would be allowed without consent',
  asked: 'would require consent',
  stronger: 'would require stronger consent',
  weaker: 'would require weaker consent',
}

const changesTable = ({ changed }: ReviewedCalls): Part =>
  changed.length === 0
    ? ''
    : table(
        'Tool calls with a different result',
        ['Tool', 'Calls', 'Result', 'Reason', 'Matched on, for example'],
        changed
          .slice(0, limits.dryRunListedMax)
          .map(({ tool, calls, change, why, matchedOn }) => [
            html`<code>${escapeInvisible(tool)}</code>`,
            String(calls),
            changeWords[change],
            why,
            matchedOn === null ? '' : html`<code>${escapeInvisible(matchedOn)}</code>`,
          ]),
      )

import { shownWords } from '../../gate/runner-calls/files/file-words.ts'
import { readKeptInput } from '../../gate/runner-calls/kept-input.ts'
import { limits } from '../../limits.ts'
import type { ActionTimeline } from '../../operations/audit/action-timeline.ts'
import { escapeInvisible, escapeInvisibleLines } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { exactTime, facts } from '../parts.ts'

/** Shows a runner's tool call: what it carries, the state of the consent, and whether it ran. */
export function toolCallPart(timeline: ActionTimeline): Part {
  if (timeline.toolCall === undefined) return ''
  const states = [...grantFact(timeline), ...outcomeFact(timeline)]
  return html`<section aria-labelledby="tool-call">
    <h2 id="tool-call">Tool call</h2>
    ${states.length === 0 ? '' : facts(states)} ${inputPart(timeline)}
  </section>`
}

/** The input as the agent wrote it, each field apart from the words of the page. */
function inputPart({ row, toolCall }: ActionTimeline): Html {
  const isErased = Object.keys(row.payload).length === 0
  if (toolCall!.input === null)
    return html`<p class="none">
      ${isErased ? 'The input was erased.' : 'The input is not kept: it was too long, or the call could not be read.'}
    </p>`
  const { input, starts } = readKeptInput(toolCall!.input)
  const fields = Object.entries(input)
  return html`${
      fields.length === 0
        ? html`<p class="none">The call has no input.</p>`
        : fields.map(
            ([name, value]) =>
              html`<h3><bdi>${escapeInvisible(name)}</bdi></h3>
                <pre class="message code" dir="auto">
${escapeInvisibleLines(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre>`,
          )
    }
    <p class="hint">The agent wrote this input. Text that looks like a secret is masked.</p>
    ${starts.map(
      ({ path, text, shows }) =>
        html`<h3>${shownWords[shows]} <bdi>${escapeInvisible(path)}</bdi></h3>
          <pre class="message code" dir="auto">${escapeInvisibleLines(text)}</pre>`,
    )}`
}

function grantFact({ toolCall }: ActionTimeline): [string, Part][] {
  const { granted_at: grantedAt, expires_at: expiresAt, spent_at: spentAt } = toolCall!.grant ?? {}
  if (!grantedAt || !expiresAt) return []
  if (spentAt) return [['Consent', html`Used at ${exactTime(spentAt)}`]]
  if (expiresAt.getTime() > Date.now())
    return [['Consent', html`Usable until ${exactTime(expiresAt)}, once, by exactly this call`]]
  return [['Consent', html`Expired unused at ${exactTime(expiresAt)}`]]
}

/** Whether the call ran, as far as the runner reported it. Nothing for a call that was never allowed. */
function outcomeFact({ entries }: ActionTimeline): [string, Part][] {
  const allowed = entries.findLast(({ kind }) => kind === 'grant_used' || kind === 'tool_allowed')
  if (!allowed) return []
  const reported = entries.findLast(({ kind }) => kind === 'tool_reported')
  if (reported)
    return [
      [
        'Outcome',
        reported.content.data?.['outcome'] === 'failed' ? 'failed, says the runner' : 'ran, says the runner',
      ],
    ]
  const isDue = Date.now() - allowed.at.getTime() > limits.toolOutcomeMs
  return [
    [
      'Outcome',
      isDue ? html`<span class="tone warn">unreported: it may have run</span>` : 'not reported yet',
    ],
  ]
}

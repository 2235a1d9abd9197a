import { resultTone, resultWords } from '../../gate/result-words.ts'
import { escapeInvisible, escapeInvisibleLines } from '../../text/escape-invisible.ts'
import { type ActionTimeline, actionTimeline } from '../../operations/audit/action-timeline.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { kindPathOf } from '../declared-kinds/paths.ts'
import { changesPart, consentRequestWords, consentWords } from '../proposals/consent-words.ts'
import { definePage } from '../page.ts'
import { exactTime, facts, moment, table, tierBadge } from '../parts.ts'
import { progressPart, requesterOf } from '../proposals/proposal-facts.ts'
import { rowIn } from '../row-id.ts'
import { amountWords } from './entry-words.ts'
import { personPart, proofPart, timelinePart } from './entries.ts'
import { ledgerPath } from './ledger-path.ts'
import { sealPart } from './seal-part.ts'
import { statusBadge } from './list-page.ts'
import { toolCallPart } from './tool-call-part.ts'

/** One action of the ledger: its timeline, its result, its details, and what proves them. */
export const rowPage = definePage({
  path: `${ledgerPath}/:id`,
  role: 'admin',
  async show(context) {
    const timeline = await actionTimeline(context.deps, context.session.account, rowIn(context))
    const { row, title, line } = timeline
    return {
      title: `Action #${row.id}: ${title}`,
      refresh: row.execution ? 'soon' : row.status === 'proposed' ? 'later' : undefined,
      body: html`<p class="line">${statusBadge(row)} <bdi>${escapeInvisible(line)}</bdi> ${openPart(row)}</p>
        ${row.denial_reason === undefined ? '' : html`<p class="problem">${prose(escapeInvisible(row.denial_reason))}</p>`}
        ${toolCallPart(timeline)} ${timelinePart(timeline)} ${resultPart(timeline)}
        <section aria-labelledby="details">
          <h2 id="details">Details</h2>
          ${facts(rowFacts(timeline))}
        </section>
        ${contentPart(timeline)}
        <section aria-labelledby="proof">
          <h2 id="proof">Digest and proof</h2>
          ${facts(digestFacts(timeline))} ${proofPart(timeline)} ${await sealPart(context)}
        </section>
        <p class="pager"><a href="${ledgerPath}">Back to ledger</a></p>`,
    }
  },
})

const openPart = (row: ActionTimeline['row']): Part =>
  row.status === 'proposed' && row.consent === undefined
    ? html`<a href="/console/proposals/${row.id}">Waiting for the member’s decision</a>`
    : ''

function rowFacts({ row, amount, memberId, names, workflow, sameBefore }: ActionTimeline): [string, Part][] {
  const { blast_radius: reach, consent, consent_request: request, duplicate_of: duplicate } = row
  const given: [string, Part | undefined][] = [
    ['Kind', row.kind_version === undefined ? undefined : declaredKindPart(row.kind, row.kind_version)],
    ['Member', memberId === null ? html`<bdi>${row.member}</bdi>` : personPart(memberId, names, row.member)],
    ['Tier at request', tierBadge(row.tier_at_request)],
    ['Source', sourceNames[row.source] ?? row.source],
    ['Requested by', requesterOf(row)],
    ['Amount', amount === null ? undefined : amountWords(amount)],
    [
      'Recipients',
      row.recipients_digest === undefined && reach.slack + reach.email + reach.unreachable === 0
        ? undefined
        : `${reach.slack} by Slack, ${reach.email} by e-mail, ${reach.unreachable} unreachable${reach.teams === undefined ? '' : ', 1 post in Microsoft Teams'}`,
    ],
    ['Created', exactTime(row.created_at)],
    ['Expires', row.status === 'proposed' && row.expires_at ? moment(row.expires_at) : undefined],
    ['Rationale', row.rationale && html`<bdi>${escapeInvisible(row.rationale)}</bdi>`],
    ['Required consent', row.consent_required],
    ['Decline reason', row.decline_reason && html`<bdi>${escapeInvisible(row.decline_reason)}</bdi>`],
    ['Decision', consent && consentWords(consent, row.kind)],
    ['Changed by the member', changesPart(row)],
    ['Consent request', request && consentRequestWords(request)],
    ['Progress', row.execution && progressPart(row.execution)],
    [
      'Same as',
      duplicate === undefined
        ? undefined
        : html`<a href="${ledgerPath}/${duplicate}">action #${duplicate}</a>, which
            ${sameBefore ?? 'was open when this was proposed'}`,
    ],
    ['Executed', row.executed_at && exactTime(row.executed_at)],
    ['Workflow', workflow && workflowPart(workflow)],
  ]
  return given.filter((fact): fact is [string, Part] => fact[1] !== undefined)
}

const declaredKindPart = (kind: string, version: number): Html =>
  html`<code>${kind}</code>, <a href="${kindPathOf(kind)}/versions/${version}">version ${version}</a>`

function digestFacts({ row }: ActionTimeline): [string, Part][] {
  const given: [string, Part | undefined][] = [
    ['Payload digest', row.digest && html`<code>${row.digest}</code>`],
    ['Recipients digest', row.recipients_digest && html`<code>${row.recipients_digest}</code>`],
  ]
  return given.filter((fact): fact is [string, Part] => fact[1] !== undefined)
}

const sourceNames: Record<string, string> = { api: 'REST', mcp: 'MCP', runner: 'hook of an agent runner' }

const workflowPart = ({ id, url }: NonNullable<ActionTimeline['workflow']>): Html =>
  url === undefined
    ? html`<code>${id}</code>`
    : html`<a href="${url}" rel="noreferrer"><code>${id}</code></a>
        <span class="hint">in the Temporal UI</span>`

function contentPart({ row }: ActionTimeline): Part {
  const { message, ...rest } = row.payload
  const isEmpty = Object.keys(row.payload).length === 0
  if (isEmpty) return ''
  return html`<h2>Payload</h2>
    ${typeof message === 'string' ? html`<pre class="message" dir="auto">${escapeInvisibleLines(message)}</pre>` : ''}
    ${Object.keys(rest).length === 0 ? '' : facts(pairsOf(rest))}`
}

const pairsOf = (data: Record<string, unknown>): [string, Part][] =>
  Object.entries(data).map(([name, value]) => [name, valueOf(value)])

function valueOf(value: unknown): Part {
  if (typeof value === 'string') return html`<bdi>${escapeInvisible(value)}</bdi>`
  if (typeof value === 'number') return value
  const counts = countsIn(value)
  return counts ?? html`<code>${escapeInvisible(JSON.stringify(value))}</code>`
}

/** The counts of a result in a line; undefined where the value is something else. */
function countsIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const pairs = Object.entries(value)
  const isCounts = pairs.length > 0 && pairs.every(([, count]) => typeof count === 'number')
  return isCounts ? pairs.map(([name, count]) => `${count} ${name}`).join(', ') : undefined
}

function resultPart({ row, deliveries, undelivered, calls, names }: ActionTimeline): Part {
  if (!row.result && deliveries.length === 0 && calls.length === 0) return ''
  return html`<h2>Result</h2>
    ${
      row.result
        ? html`<p class="result ${resultTone(row.result)}">
              ${escapeInvisible(resultWords(row.kind, row.result))}
            </p>
            <details>
              <summary>All fields of the result</summary>
              ${facts(pairsOf(row.result))}
            </details>`
        : ''
    }
    ${
      deliveries.length === 0
        ? ''
        : table(
            'Recipients by channel and outcome',
            ['Channel', 'Outcome', 'Reason', 'Recipients'],
            deliveries.map(({ channel, state, code, count }) => [
              channel,
              state,
              code === '' ? '–' : code,
              count,
            ]),
          )
    }
    ${
      undelivered.length === 0
        ? ''
        : html`<details>
            <summary>Recipients without a confirmed delivery (first ${undelivered.length})</summary>
            ${table(
              'Recipients without a confirmed delivery',
              ['Member', 'Channel', 'Outcome', 'Reason'],
              undelivered.map(({ member_id, channel, state, code }) => [
                personPart(member_id, names),
                channel,
                state,
                code === '' ? '–' : code,
              ]),
            )}
          </details>`
    }
    ${
      calls.length === 0
        ? ''
        : table(
            'Calls to the payment provider',
            ['Call', 'Outcome', 'Attempts', 'First attempt', 'Idempotency key'],
            calls.map((call) => [
              `${call.provider} ${call.step}`,
              call.code === null ? call.state : `${call.state}: ${call.code}`,
              call.attempt,
              call.first_attempted_at === null ? '–' : exactTime(call.first_attempted_at),
              html`<code>${call.key}</code>`,
            ]),
          )
    }`
}

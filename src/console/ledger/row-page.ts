import { escapeInvisible, escapeInvisibleLines } from '../../text/escape-invisible.ts'
import { type ActionTimeline, actionTimeline } from '../../operations/admin/action-timeline.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { consentRequestWords, consentWords } from '../proposals/consent-words.ts'
import { definePage } from '../page.ts'
import { facts, moment, table, tierBadge } from '../parts.ts'
import { requesterOf } from '../proposals/proposal-facts.ts'
import { rowIn } from '../row-id.ts'
import { amountWords } from './entry-words.ts'
import { entriesPart, exactTime, personPart } from './entries.ts'
import { ledgerPath, statusBadge } from './list-page.ts'

/** One row's whole story. */
export const rowPage = definePage({
  path: `${ledgerPath}/:id`,
  role: 'admin',
  async show(context) {
    const story = await actionTimeline(context.deps, context.session.account, rowIn(context))
    const { row } = story
    return {
      title: `Row ${row.id}: ${row.kind}`,
      body: html`<p>${statusBadge(row)} ${openPart(row)}</p>
        ${facts(rowFacts(story))} ${contentPart(story)} ${outcomePart(story)} ${entriesPart(story)}
        <p class="pager"><a href="${ledgerPath}">Back to the ledger</a></p>`,
    }
  },
})

const openPart = (row: ActionTimeline['row']): Part =>
  row.status === 'proposed' && row.consent === undefined
    ? html`<a href="/console/proposals/${row.id}">It waits for its member</a>`
    : ''

function rowFacts({ row, amount, memberId, names, workflow, sameBefore }: ActionTimeline): [string, Part][] {
  const { blast_radius: reach, consent, consent_request: request, duplicate_of: duplicate } = row
  const given: [string, Part | undefined][] = [
    ['Member', memberId === null ? html`<bdi>${row.member}</bdi>` : personPart(memberId, names, row.member)],
    ['Tier then', tierBadge(row.tier_at_request)],
    ['Asked over', row.source],
    ['Requested by', requesterOf(row)],
    ['Amount', amount === null ? undefined : amountWords(amount)],
    [
      'Reach',
      row.recipients_digest === undefined && reach.slack + reach.email + reach.unreachable === 0
        ? undefined
        : `${reach.slack} by Slack, ${reach.email} by e-mail, ${reach.unreachable} not reachable`,
    ],
    ['Made', exactTime(row.created_at)],
    ['Expires', row.status === 'proposed' && row.expires_at ? moment(row.expires_at) : undefined],
    ['Denied because', row.denial_reason],
    ['Decided', consent && consentWords(consent, row.kind)],
    ['Being asked', request && consentRequestWords(request)],
    [
      'Same as',
      duplicate === undefined
        ? undefined
        : html`<a href="${ledgerPath}/${duplicate}">row ${duplicate}</a>, which
            ${sameBefore ?? 'was open when this was proposed'}`,
    ],
    ['Executed', row.executed_at && exactTime(row.executed_at)],
    ['Digest of what is consented to', row.digest && html`<code>${row.digest}</code>`],
    ['Digest of the recipients', row.recipients_digest && html`<code>${row.recipients_digest}</code>`],
    ['Workflow', workflow && workflowPart(workflow)],
  ]
  return given.filter((fact): fact is [string, Part] => fact[1] !== undefined)
}

const workflowPart = ({ id, url }: NonNullable<ActionTimeline['workflow']>): Html =>
  url === undefined
    ? html`<code>${id}</code>`
    : html`<a href="${url}" rel="noreferrer"><code>${id}</code></a>
        <span class="hint">in the Temporal UI</span>`

function contentPart({ row }: ActionTimeline): Part {
  const { message, ...rest } = row.payload
  const isEmpty = Object.keys(row.payload).length === 0
  if (isEmpty) return ''
  return html`<h2>What was asked for</h2>
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

/** What a result counts by channel, in a line; undefined where it is something else. */
function countsIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const pairs = Object.entries(value)
  const isCounts = pairs.length > 0 && pairs.every(([, count]) => typeof count === 'number')
  return isCounts ? pairs.map(([name, count]) => `${count} ${name}`).join(', ') : undefined
}

function outcomePart({ row, deliveries, undelivered, calls, names }: ActionTimeline): Part {
  if (!row.result && deliveries.length === 0 && calls.length === 0) return ''
  return html`<h2>What became of it</h2>
    ${row.result ? facts(pairsOf(row.result)) : ''}
    ${
      deliveries.length === 0
        ? ''
        : table(
            'Recipients by channel and outcome',
            ['Channel', 'Outcome', 'Why', 'Recipients'],
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
            <summary>Those who were not reached for sure: the first ${undelivered.length}</summary>
            ${table(
              'Recipients who were not reached for sure',
              ['Member', 'Channel', 'Outcome', 'Why'],
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
            ['Call', 'Outcome', 'Tries', 'First try', 'Key'],
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

import { resultWords } from '../../gate/result-words.ts'
import { escapeInvisible, escapeInvisibleLines } from '../../text/escape-invisible.ts'
import type { ShownProposal } from '../../operations/decisions/decide-in-console.ts'
import type { ActionRequest } from '../../operations/schemas.ts'
import { type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { changesPart, closedWords, consentRequestWords, consentWords } from './consent-words.ts'
import { facts, moment, tierBadge } from '../parts.ts'
import { amountPart, kindName, proposalsPath, reachPart } from './list-page.ts'

/** The most that the page of an action shows of its executor's result. */
const executorResultCharsShownMax = 2_000

/** The status of a proposal. */
export function statusFacts({
  row,
  open,
  approval,
  line,
  sameBefore,
  done,
  said,
}: ShownProposal): [string, Part][] {
  const { execution, consent, consent_request: request, duplicate_of: duplicate } = row
  return present([
    ['Action', open ? undefined : html`<bdi>${escapeInvisible(line)}</bdi>`],
    [
      'Status',
      open ? (approval?.consentedAt ? 'waiting for approvals' : 'waiting for the member') : stateLabel(row),
    ],
    ['Outcome', done ?? (row.result && escapeInvisible(resultWords(row.kind, row.result)))],
    ['Progress', execution && progressPart(execution)],
    ['Executor’s result', said === undefined ? undefined : saidPart(said)],
    ['Denial reason', row.denial_reason && prose(row.denial_reason)],
    ['Closed', closedWords(row)],
    ["The member's reason", reasonPart(row)],
    ['Decision', consent && consentWords(consent, row.kind)],
    ['Approved by', open ? undefined : approval?.approved.map(escapeInvisible).join(', ')],
    ['Changed by the member', changesPart(row)],
    ['Consent request', request && consentRequestWords(request)],
    [
      'Same as',
      duplicate === undefined
        ? undefined
        : html`<a href="${proposalsPath}/${duplicate}">#${duplicate}</a>, which
            ${sameBefore ?? 'was open when this was proposed'}${sameBefore && open ? '. Approving runs it again.' : ''}`,
    ],
  ])
}

/** What the executor wrote, which may be long. */
function saidPart(said: unknown): Part {
  const text = JSON.stringify(said)
  const shown = text.slice(0, executorResultCharsShownMax)
  return `${escapeInvisible(shown.toWellFormed())}${shown === text ? '' : '… The API has all of it'}`
}

/** How far it is: recipients, its claim, or the calls that it is executed by. */
export function progressPart({ delivered, remaining, claim, ...call }: Execution): Part {
  if (claim !== undefined) return claimStates[claim]
  const hasRecipients = delivered + remaining > 0
  if (!hasRecipients && call.attempts === undefined) return 'It has not begun yet.'
  return html`${hasRecipients ? `${delivered} done, ${remaining} remaining. ` : ''}${callPart(call)}`
}

function callPart({
  attempts,
  last_error: error,
  failing_since: since,
  next_attempt_at: next,
  repeated_until: until,
}: Omit<Execution, 'delivered' | 'remaining' | 'claim' | 'state'>): Part {
  if (attempts === undefined) return ''
  if (error === undefined) return `Attempt ${attempts} is under way.`
  return html`Attempt ${attempts} failed (${escapeInvisible(error)}).
  ${since === undefined ? '' : html`Failing since ${moment(since)}.`}
  ${next === undefined ? '' : html`Next attempt: ${moment(next)}.`}
  ${until === undefined ? '' : html`Repeated until ${moment(until)}.`}`
}

type Execution = NonNullable<ActionRequest['execution']>

const claimStates: Record<NonNullable<Execution['claim']>, string> = {
  open: 'waiting to be claimed by an executor',
  held: 'claimed by an executor, which has not reported yet',
  ended: 'ending',
}

const reasonPart = ({ decline_reason: reason }: ActionRequest): Part | undefined =>
  reason === undefined ? undefined : html`<p class="message">${escapeInvisibleLines(reason)}</p>`

/** Details that the card does not show; all details once the proposal is closed. */
export const proposalFacts = ({ row, weight, open }: ShownProposal): [string, Part][] =>
  present([
    ['Kind', row.kind_version && html`<code>${row.kind}</code>, version ${row.kind_version}`],
    ['Member', html`<bdi>${row.member}</bdi>`],
    ['Requested by', requesterOf(row)],
    ['Tier at request', tierBadge(row.tier_at_request)],
    ['Proposed', moment(row.created_at)],
    ['Expires', row.expires_at === undefined || !open ? undefined : moment(row.expires_at)],
    ['Recipients', open ? undefined : reachPart(row)],
    ['Amount', open || weight === null ? undefined : amountPart(weight)],
    ['Digest', row.digest && html`<code>${row.digest}</code>`],
  ])

/** The agent that made the request, by the name of its API key; of a connected app, which chose its name itself, also the host. */
export function agentOf({ requested_by: key, requested_host: host }: ActionRequest): Part | undefined {
  if (key === undefined) return undefined
  const name = html`“<bdi>${escapeInvisible(key)}</bdi>”`
  return host === undefined
    ? html`agent ${name}`
    : html`app of <strong>${escapeInvisible(host)}</strong>, ${name}`
}

/** The same, and for whom. */
export function requesterOf(row: ActionRequest): Part | undefined {
  const agent = agentOf(row)
  return (
    agent &&
    html`${agent}${row.requested_host === undefined ? '' : ','} for <bdi>${escapeInvisible(row.member)}</bdi>`
  )
}

const present = (given: [string, Part | undefined][]): [string, Part][] =>
  given.filter((fact): fact is [string, Part] => fact[1] !== undefined)

export const isOpen = (row: ActionRequest): boolean =>
  row.status === 'proposed' && row.execution === undefined

export const stateLabel = (row: ActionRequest): string => (row.status === 'proposed' ? 'running' : row.status)

const amountFields = new Set(['amount_cents', 'currency'])

/** The payload: a message as it is sent, other fields as a list. */
export function payloadPart({ row, weight }: Pick<ShownProposal, 'row' | 'weight'>): Part {
  const { payload, rationale } = row
  const { message, ...others } = payload
  // The details show the amount in words.
  const rest = Object.entries(others).filter(([name]) => weight === null || !amountFields.has(name))
  return html`${typeof message === 'string' ? html`<p class="message">${escapeInvisibleLines(message)}</p>` : ''}
  ${
    rest.length === 0
      ? ''
      : facts(
          rest.map(([name, value]) => [
            kindName(name),
            escapeInvisible(typeof value === 'string' ? value : JSON.stringify(value)),
          ]),
        )
  }
  ${
    rationale === undefined
      ? ''
      : html`<h3>The agent’s reason</h3>
          <p class="message">${escapeInvisibleLines(rationale)}</p>`
  }`
}

import { escapeInvisible, escapeInvisibleLines } from '../../text/escape-invisible.ts'
import type { ShownProposal } from '../../operations/decisions/decide-in-console.ts'
import type { ActionRequest } from '../../operations/schemas.ts'
import { type Part, html } from '../../web/html.ts'
import { consentRequestWords, consentWords } from './consent-words.ts'
import { facts, moment, tierBadge } from '../parts.ts'
import { amountPart, kindName, proposalsPath, reachPart } from './list-page.ts'

/** How a proposal stands. */
export function statusFacts({ row, open, sameBefore }: ShownProposal): [string, Part][] {
  const { execution, consent, consent_request: request, duplicate_of: duplicate } = row
  return present([
    ['State', open ? 'waits for its member' : stateLabel(row)],
    ['Progress', execution && `${execution.delivered} done, ${execution.remaining} to go`],
    ['Why', row.denial_reason],
    ['Closed by', row.closed_reason && closedBy[row.closed_reason]],
    ['Decided', consent && consentWords(consent, row.kind)],
    ['What became of it', row.result && resultWords(row.result)],
    ['Asked', request && consentRequestWords(request)],
    [
      'Same as',
      duplicate === undefined
        ? undefined
        : html`<a href="${proposalsPath}/${duplicate}">#${duplicate}</a>, which
            ${sameBefore ?? 'was open when this was proposed'}${sameBefore && open ? '. Approving runs it again.' : ''}`,
    ],
  ])
}

/** What its card does not say; once there is none any more, all. */
export const proposalFacts = ({ row, weight, open }: ShownProposal): [string, Part][] =>
  present([
    ['Proposed by', html`<bdi>${row.member}</bdi>`],
    ['Requested by', requesterOf(row)],
    ['Their tier then', tierBadge(row.tier_at_request)],
    ['Proposed', moment(row.created_at)],
    ['Expires', row.expires_at === undefined || !open ? undefined : moment(row.expires_at)],
    ['Reach', open ? undefined : reachPart(row)],
    ['Amount', open || weight === null ? undefined : amountPart(weight)],
    ['Digest', row.digest && html`<code>${row.digest}</code>`],
  ])

/** The API key by its name, which an administrator gave it. */
export const requesterOf = ({ requested_by: key }: ActionRequest): Part | undefined =>
  key === undefined ? undefined : html`agent “<bdi>${escapeInvisible(key)}</bdi>”`

const present = (given: [string, Part | undefined][]): [string, Part][] =>
  given.filter((fact): fact is [string, Part] => fact[1] !== undefined)

export const isOpen = (row: ActionRequest): boolean =>
  row.status === 'proposed' && row.execution === undefined

export const stateLabel = (row: ActionRequest): string =>
  row.status === 'proposed' ? 'being executed' : row.status

const closedBy: Record<NonNullable<ActionRequest['closed_reason']>, string> = {
  admin: 'an administrator',
  expired: 'its expiry',
  proposer: 'the member',
  refused: 'the provider, who refused it',
}

/** What a result says, in a line: what it counts, and its texts. */
function resultWords(result: Record<string, unknown>): string {
  const words = Object.entries(result).map(([name, value]) => {
    if (typeof value === 'string' || typeof value === 'number') return `${kindName(name)}: ${value}`
    if (typeof value === 'boolean') return value ? kindName(name) : ''
    return `${kindName(name)}: ${JSON.stringify(value).replaceAll(/["{}]/g, '').replaceAll(',', ', ')}`
  })
  return words.filter((word) => word !== '').join('; ')
}

/** A message as it will be sent; anything else field by field. */
export function payloadPart({ payload }: ActionRequest): Part {
  const { message, ...others } = payload
  const rest = Object.entries(others)
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
  }`
}

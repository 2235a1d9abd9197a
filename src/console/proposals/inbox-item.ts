import { formatAmount } from '../../gate/money.ts'
import type { WaitingProposal } from '../../operations/decisions/inbox.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { cardHtml } from '../../web/card-html.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { ago } from '../parts.ts'
import { whyNot } from './decision-section.ts'
import { proposalsPath } from './list-page.ts'
import { agentOf } from './proposal-facts.ts'

/** A proposal in the list of its member: a line to select and to open, and behind it the card with its buttons. */
export function waitingItem(one: WaitingProposal): Html {
  const { row, title, headline, open, yours, isNew, alone } = one
  const name = html`<bdi>${escapeInvisible(headline)}</bdi>`
  const isSelectable = open !== null && yours === 'both' && alone === undefined
  return html`<li data-id="${row.id}" ${open === null ? '' : html`data-shown="${open.shown}"`}>
    ${
      isSelectable
        ? html`<input
            type="checkbox"
            name="pick_${row.id}"
            value="${open.shown}.${row.digest ?? ''}"
            aria-label="Select ${title} #${row.id}"
          />`
        : html`<span class="unpicked"></span>`
    }
    <details>
      <summary>
        <span class="headline" dir="auto">${name}</span>${isNew ? html` <span class="badge">new</span>` : ''}
        <span class="about">${joined(aboutOf(one))}</span>
      </summary>
      ${open === null ? '' : cardHtml(open.card, buttonsOf(one), { label: `${title} #${row.id}` })}
      <p class="actions"><a href="${proposalsPath}/${row.id}">Open ${title} #${row.id}</a></p>
    </details>
  </li>`
}

/** Who asks and why, what it costs, until when, and what changed. */
function aboutOf({ row, title, weight, changed, yours, alone }: WaitingProposal): Part[] {
  const agent = agentOf(row)
  const { consent_request: request } = row
  const people = row.blast_radius.slack + row.blast_radius.email
  return [
    html`${title} #${row.id}`,
    ...(weight === null ? [] : [html`<strong>${formatAmount(weight.amountCents, weight.currency)}</strong>`]),
    ...(people === 0 ? [] : [`${people} ${people === 1 ? 'person' : 'people'}`]),
    ...(row.blast_radius.teams === undefined ? [] : ['Microsoft Teams']),
    ...(agent === undefined ? [] : [html`requested by ${agent}`]),
    request === undefined ? 'proposed for you' : `requires your ${request.required} consent`,
    ...(row.expires_at === undefined ? [] : [html`expires ${ago(row.expires_at)}`]),
    ...(yours === 'decline_by_link' ? ['approved on the page of its link'] : []),
    ...(yours === 'decline_or_open' ? ['approved with your passkey on its page'] : []),
    ...(alone === undefined ? [] : [weight ? 'too high to approve with others' : 'to approve on its own']),
    ...(changed === undefined ? [] : [html`<span class="changed">since then: ${changed}</span>`]),
  ]
}

const joined = (facts: Part[]): Part[] =>
  facts.map((fact, at) => html`${at === 0 ? '' : ' · '}<span>${fact}</span>`)

function buttonsOf({ row, open, yours }: WaitingProposal): Part {
  if (open === null) return ''
  const value = `${row.id}.${open.shown}.${row.digest ?? ''}`
  return html`${yours === 'both' ? '' : html`<p class="notice">${whyNot[yours]}</p>`}
    <div class="choices">
      ${yours === 'both' ? html`<button type="submit" name="only" value="confirm.${value}">Approve</button>` : ''}
      <button type="submit" name="only" value="decline.${value}" class="second">Decline</button>
    </div>`
}

import type { Card, CardFact } from '../consent/card.ts'
import { unbroken } from '../text/quote-lines.ts'
import { type Html, type Part, html } from './html.ts'

/**
 * A decision card on a page, in the order of its text. What an agent wrote is quoted behind bars, and inside a border that also
 * stands beside rows that the window breaks.
 * @param decision  stands between what people decide by and the details: the buttons
 */
export function cardHtml({ title, facts, quotes: written, details }: Card, decision: Part = ''): Html {
  return html`<section class="card" aria-label="Proposal">
    <h2>${title}</h2>
    ${written.map(
      ({ label, lines }) =>
        html`<figure>
          <figcaption>${label}</figcaption>
          <pre dir="ltr">${unbroken(lines.join('\n'))}</pre>
        </figure>`,
    )}
    ${factList(facts)} ${decision} ${factList(details)}
  </section>`
}

const factList = (given: CardFact[]): Html =>
  html`<dl>
    ${given.map(
      ({ label, value }) =>
        html`<div>
          <dt>${label}:</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

import { type Card, type CardFact, cardLabels, cardText } from '../consent/card.ts'
import { unbroken } from '../text/quote-lines.ts'
import { type Html, type Part, html } from './html.ts'

/**
 * A decision card on a page, in the order of its text. What an agent wrote is quoted behind bars, and inside a border that also
 * stands beside rows that the window breaks.
 * @param decision  stands between what people decide by and the details: the buttons
 */
export function cardHtml({ title, facts, quotes: written, details }: Card, decision: Part = ''): Html {
  const isLong = cardText({ title, facts, quotes: written, details: [] }).length > briefCharsMax
  // Buttons that stay on the screen of a phone would cover what changed since.
  const isBrief = !isLong && !facts.some(({ label }) => label === cardLabels.since)
  return html`<section class="card${isBrief ? ' brief' : ''}" aria-label="Proposal">
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

/** The longest text that people decide by above the buttons. A longer card is read to its end before its buttons are reached. */
const briefCharsMax = 1_500

/** Labels and values, a line for each. */
export const factList = (given: CardFact[]): Html =>
  html`<dl>
    ${given.map(
      ({ label, value }) =>
        html`<div>
          <dt>${label}:</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

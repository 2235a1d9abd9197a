import { type Card, type CardFact, cardLabels, cardText } from '../consent/card.ts'
import { unbroken } from '../text/quote-lines.ts'
import { type Html, type Part, html } from './html.ts'

/**
 * A decision card on a page, in the order of its text. What an agent wrote is quoted behind bars, and inside a border that also
 * stands beside rows that the window breaks.
 * @param decision  stands between what people decide by and the details: the buttons
 * @param look.label  tells it apart from other cards of a page
 * @param look.isFolded  only the beginning of a long text stands open: see `isLong`
 */
export function cardHtml(
  card: Card,
  decision: Part = '',
  { label = 'Proposal', isFolded = false }: { label?: string; isFolded?: boolean } = {},
): Html {
  const { title, facts, quotes: written, details } = card
  const quotes = isFolded ? folded(written) : written.map((quote) => ({ ...quote, hidden: [] }))
  const open = quotes.filter(({ lines }) => lines.length > 0)
  const isBrief = cardText({ title, facts, quotes: open, details: [] }).length <= briefCharsMax
  // Buttons that stay on the screen of a phone would cover what changed since.
  const isSticky = isBrief && !facts.some(({ label: name }) => name === cardLabels.since)
  return html`<section class="card${isSticky ? ' brief' : ''}" aria-label="${label}">
    <h2>${title}</h2>
    ${quotes.map(quotePart)} ${factList(facts)} ${decision} ${factList(details)}
  </section>`
}

interface Folded {
  label: string
  lines: string[]
  hidden: string[]
}

const quotePart = ({ label, lines, hidden }: Folded): Html =>
  html`<figure>
    <figcaption>${label}</figcaption>
    ${lines.length === 0 ? '' : preOf(lines)}
    ${
      hidden.length === 0
        ? ''
        : html`<details class="fold">
            <summary>Show ${hidden.length} hidden ${hidden.length === 1 ? 'line' : 'lines'}</summary>
            ${preOf(hidden)}
          </details>`
    }
  </figure>`

const preOf = (lines: string[]): Html => html`<pre dir="ltr">${unbroken(lines.join('\n'))}</pre>`

/** The longest text that people decide by above the buttons. A longer card is read to its end before its buttons are reached. */
const briefCharsMax = 1_500

/** Lines of a card that stay open when it is folded: about a third of the screen of a phone. */
const openLinesMax = 24

/** Whether a card is folded at first, so that its buttons are on the first screen: pressing Approve shows all of it. Pure. */
export const isLong = ({ quotes }: Card): boolean =>
  quotes.reduce((sum, { lines }) => sum + lines.length, 0) > 2 * openLinesMax

function folded(quotes: Card['quotes']): Folded[] {
  let left = openLinesMax
  return quotes.map(({ label, lines }) => {
    const open = lines.slice(0, left)
    left -= open.length
    return { label, lines: open, hidden: lines.slice(open.length) }
  })
}

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

import type { Card } from '../consent/card.ts'
import { type Html, html } from './html.ts'

/** A decision card on a page, in the order of its text. What an agent wrote is quoted behind bars. */
export function cardHtml({ title, facts, quotes: written }: Card): Html {
  return html`<section class="card" aria-label="Proposal">
    <h2>${title}</h2>
    <dl>
      ${facts.map(
        ({ label, value }) =>
          html`<div>
            <dt>${label}:</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    ${written.map(
      ({ label, lines }) =>
        html`<figure>
          <figcaption>${label}</figcaption>
          <pre dir="ltr">${lines.join('\n')}</pre>
        </figure>`,
    )}
  </section>`
}

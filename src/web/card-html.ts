import type { Card } from '../consent/card.ts'
import { type Html, html } from './html.ts'

/** A decision card on a page: the lines of its text, in its order. What an agent wrote stands apart, behind its bars. */
export function cardHtml({ title, facts, quotes: written }: Card): Html {
  return html`<section class="card" aria-label="What is decided about">
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

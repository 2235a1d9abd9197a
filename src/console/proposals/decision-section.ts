import type { ShownProposal } from '../../operations/decisions/decide-in-console.ts'
import { cardHtml } from '../../web/card-html.ts'
import { type Part, html } from '../../web/html.ts'

/** The card of an open proposal, and for the member who proposed it the buttons that decide. */
export function decisionSection({ open, yours, row }: ShownProposal): Part {
  if (!open) return ''
  return html`${cardHtml(open.card)}
  ${
    yours === 'nothing'
      ? ''
      : html`<section aria-labelledby="decide">
          <h2 id="decide">Your decision</h2>
          <p>${introductionOf[yours]}</p>
          <form method="post" class="decision">
            <input type="hidden" name="shown" value="${open.shown}" />
            <input type="hidden" name="digest" value="${row.digest ?? ''}" />
            ${yours === 'both' ? html`<button type="submit" name="does" value="confirm">Approve</button>` : ''}
            <button class="quiet" type="submit" name="does" value="decline">Decline</button>
          </form>
        </section>`
  }`
}

const introductionOf: Record<Exclude<ShownProposal['yours'], 'nothing'>, string> = {
  both: 'An agent that acts for you asks for this. It is done at once when you approve, and exactly as shown. You can decide once.',
  decline_by_link:
    'This is decided on the page of its own link, which your agent was given: it asks for a credential, and shows who you connect. Here you can decline it.',
  decline_suspended:
    'The account is suspended: nothing can be approved until an administrator resumes it. You can decline.',
}

import type { ShownProposal } from '../../operations/decisions/decide-in-console.ts'
import { cardHtml } from '../../web/card-html.ts'
import { type Part, html } from '../../web/html.ts'

/** The card of an open proposal, with the decision buttons for its member. */
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
  both: 'An agent requests this for you. Approving runs this immediately, exactly as shown. This cannot be undone.',
  decline_by_link:
    'You approve this on the page of the link your agent was given, because it needs a credential. Here you can only decline.',
  decline_suspended:
    'The account is suspended. You cannot approve until an administrator resumes it. You can decline.',
}

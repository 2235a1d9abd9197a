import type { ShownProposal } from '../../operations/decisions/decide-in-console.ts'
import { cardHtml } from '../../web/card-html.ts'
import { decisionForm } from '../../web/decision-form.ts'
import { type Part, html } from '../../web/html.ts'
import type { RejectedForm } from '../page.ts'

/** The card of an open proposal, with the decision buttons for its member. */
export function decisionSection({ open, yours, row }: ShownProposal, rejected?: RejectedForm): Part {
  if (!open) return ''
  if (yours === 'nothing') return cardHtml(open.card)
  return cardHtml(
    open.card,
    decisionForm({
      hidden: { shown: open.shown, digest: row.digest ?? '' },
      mayApprove: yours === 'both',
      passkey: open.passkey,
      notice: yours === 'both' ? '' : html`<p class="notice">${whyNot[yours]}</p>`,
      reason: rejected?.values['reason'],
    }),
  )
}

const whyNot: Record<Exclude<ShownProposal['yours'], 'nothing' | 'both'>, string> = {
  decline_by_link:
    'You approve this on the page of the link your agent was given, because it needs a credential. Here you can only decline.',
  decline_suspended:
    'The account is suspended. You cannot approve until an administrator resumes it. You can decline.',
}

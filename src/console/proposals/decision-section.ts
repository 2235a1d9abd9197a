import type { ShownProposal } from '../../operations/decisions/decide-in-console.ts'
import { cardHtml, isLong } from '../../web/card-html.ts'
import { decisionForm } from '../../web/decision-form.ts'
import { type Part, html } from '../../web/html.ts'
import type { RejectedForm } from '../page.ts'

/** How the card of an open proposal is shown. */
export interface DecisionLook {
  rejected?: RejectedForm | undefined
  /** The member pressed Approve below the beginning of a long text, and sees all of it now. */
  isUnfolded?: boolean
  /** What they had entered. */
  reason?: string | undefined
}

/** The card of an open proposal, with the decision buttons for its member. */
export function decisionSection(
  { open, yours, row }: ShownProposal,
  { rejected, isUnfolded = false, reason = rejected?.values['reason'] }: DecisionLook = {},
): Part {
  if (!open) return ''
  if (yours === 'nothing') return cardHtml(open.card)
  const isFolded = !isUnfolded && isLong(open.card)
  return cardHtml(
    open.card,
    decisionForm({
      hidden: { shown: open.shown, digest: row.digest ?? '' },
      mayApprove: yours === 'both',
      notice: yours === 'both' ? '' : html`<p class="notice">${whyNot[yours]}</p>`,
      reason,
      isFolded,
    }),
    { isFolded },
  )
}

/** Why somebody can only decline here. */
export const whyNot: Record<Exclude<ShownProposal['yours'], 'nothing' | 'both'>, string> = {
  decline_by_link:
    'You approve this on the page of the link your agent was given, because it needs a credential. Here you can only decline.',
  decline_suspended:
    'The account is suspended. You cannot approve until an administrator resumes it. You can decline.',
}

import type { DecidableCard, ShownProposal } from '../../operations/decisions/decide-in-console.ts'
import { cardHtml, isLong } from '../../web/card-html.ts'
import { decisionForm } from '../../web/decision-form.ts'
import { type Part, html } from '../../web/html.ts'
import { changeFields, changedForm, editPart } from '../../web/edit-form.ts'
import { approvalPart } from '../../web/approval-part.ts'
import { glassPath } from '../break-glass/paths.ts'
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
  { open, yours, approval, mayBreakGlass, row }: ShownProposal,
  { rejected, isUnfolded = false, reason = rejected?.values['reason'] }: DecisionLook = {},
): Part {
  if (!open) return ''
  const state = html`${approval ? approvalPart(approval) : ''} ${mayBreakGlass ? glassLink(row.id) : ''}`
  if (yours === 'nothing') return html`${state} ${cardHtml(open.card)}`
  const folded = isFolded(open.card, { isUnfolded })
  const card = cardHtml(
    open.card,
    decisionForm({
      hidden: { shown: open.shown, digest: open.digest },
      mayApprove: yours === 'both',
      passkey: open.passkey,
      notice: yours === 'both' ? '' : html`<p class="notice">${whyNot[yours]}</p>`,
      editing: editPart(open.fields, rejected?.values['does'] === 'decline' ? undefined : rejected),
      reason,
      isFolded: folded,
      approval,
    }),
    { isFolded: folded },
  )
  return html`${state} ${card}`
}

const glassLink = (id: number): Part =>
  html`<p>
    In an emergency you can <a href="${glassPath(id)}">execute it alone</a>. The others are told, and review
    it.
  </p>`

/** Whether a card is shown by its beginning alone. Pure. */
export const isFolded = (card: DecidableCard['card'], { isUnfolded = false }: DecisionLook): boolean =>
  !isUnfolded && isLong(card)

/** The card of what the member makes of the proposal. `back`: the page of the proposal as it is. */
export function changedSection({ card, shown, digest, fields, passkey }: DecidableCard, back: string): Part {
  const entered = Object.fromEntries(fields.map(({ name, text }) => [name, text]))
  return cardHtml(
    card,
    changedForm({ hidden: { shown, digest, version: '2', ...changeFields(entered) }, back, passkey }),
  )
}

/** Why somebody can only decline here. */
export const whyNot: Record<Exclude<ShownProposal['yours'], 'nothing' | 'both'>, string> = {
  decline_by_link:
    'You approve this on the page of the link your agent was given, because it needs a credential. Here you can only decline.',
  decline_or_wait: 'You consented to this. It waits for the approval of others. You can still decline it.',
  decline_or_open:
    'The policy requires your passkey to approve this, or your reason. Open it to approve it. Here you can only decline.',
  decline_suspended:
    'The account is suspended. You cannot approve until an administrator resumes it. You can decline.',
}

import type { ApprovalState } from '../consent/approvals.ts'
import { limits } from '../limits.ts'
import { type Html, type Part, html } from './html.ts'
import {
  type PasskeyAsk,
  type PasskeyToUse,
  passkeyButton,
  passkeyProblem,
  signedText,
  signingAttributes,
  signingFields,
  withoutPasskeyNotice,
} from './passkey-form.ts'

/** The buttons that decide about a proposal, and where a member may say why they decline. */
export function decisionForm(options: {
  /** Hidden fields: what was shown. */
  hidden: Record<string, string>
  mayApprove: boolean
  /** Where approving requires a passkey: what it signs, or why there is none. */
  passkey?: PasskeyAsk | undefined
  /** The card is folded: the press of Approve shows all of it first, and decides nothing. */
  isFolded?: boolean
  /** Shown above the buttons. */
  notice?: Part
  /** Where the member changes it: see `editPart`. */
  editing?: Part
  /** Where others than its member must approve it too. */
  approval?: ApprovalState | undefined
  /** What the member wrote, where the form was refused. */
  reason?: string | undefined
}): Html {
  const {
    hidden,
    mayApprove: isOpen,
    isFolded = false,
    passkey,
    notice = '',
    editing = '',
    reason = '',
    approval,
  } = options
  const mayApprove =
    isOpen && approval?.isCounted !== true && (passkey === undefined || passkey.has === 'some')
  // Below a folded card nothing is signed yet.
  const signing = mayApprove && !isFolded && passkey?.has === 'some' ? passkey : undefined
  return html`<form method="post" ${signing ? signingAttributes(signing) : ''}>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${signing ? signingFields(signing) : ''} ${notice}
    ${isOpen && passkey && passkey.has !== 'some' ? withoutPasskeyNotice(passkey) : ''}
    ${signing ? passkeyProblem : ''}
    <div class="choices">
      ${mayApprove ? approveButton(isFolded, signing) : ''}
      <button type="submit" name="does" value="decline" class="second">Decline</button>
    </div>
    ${mayApprove ? html`<p>${isFolded ? afterUnfolding : afterApproving(approval)}</p>` : ''}
    ${signing ? signedText(signing.text) : ''} ${editing}
    <details ${reason === '' && !isReasoned(approval) ? '' : html`open`}>
      <summary>
        ${isReasoned(approval) ? 'Your reason, which the policy asks for' : 'Decline with a reason or a question'}
      </summary>
      <label for="reason">Reason, question or wish</label>
      <textarea
        id="reason"
        name="reason"
        rows="3"
        maxlength="${limits.reasonCharsMax}"
        aria-describedby="reason-hint"
      >
${reason}</textarea>
      <p id="reason-hint">
        The agent can answer with a new proposal. It and the administrators of the account can read this.
      </p>
      <div class="choices">
        <button type="submit" name="does" value="decline" class="second">Decline with this reason</button>
      </div>
    </details>
  </form>`
}

const isReasoned = (approval: ApprovalState | undefined): boolean =>
  approval !== undefined && !approval.isOwn && approval.isReasonRequired

/** What an approval does: it may be one of several. */
function afterApproving(approval: ApprovalState | undefined): string {
  if (!approval) return atOnce
  const left = approval.needed - approval.approved.length
  if (approval.isOwn)
    return `Then ${left === 1 ? 'somebody else' : `${left} others`} must approve it before it runs.`
  return left > 1
    ? 'It runs after the last approval that is needed, exactly as shown. One decline ends it.'
    : atOnce
}

const atOnce = 'Approving runs this immediately, exactly as shown. This cannot be undone.'
const afterUnfolding = 'The first press of Approve shows the whole text. The second one runs it.'

// Unfolding is no decision: it is answered with the same page unfolded, and what was entered.
const approveButton = (isFolded: boolean, signing: PasskeyToUse | undefined): Html =>
  signing
    ? passkeyButton('Approve with passkey', { name: 'does', value: 'confirm' })
    : html`<button type="submit" name="does" value="${isFolded ? 'unfold' : 'confirm'}">Approve</button>`

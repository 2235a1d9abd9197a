import { limits } from '../limits.ts'
import { type Html, type Part, html } from './html.ts'

/** The buttons that decide about a proposal, and where a member may say why they decline. */
export function decisionForm(options: {
  /** Hidden fields: what was shown. */
  hidden: Record<string, string>
  mayApprove: boolean
  /** The card is folded: the press of Approve shows all of it first, and decides nothing. */
  isFolded?: boolean
  /** Shown above the buttons. */
  notice?: Part
  /** Where the member changes it: see `editPart`. */
  editing?: Part
  /** What the member wrote, where the form was refused. */
  reason?: string | undefined
}): Html {
  const { hidden, mayApprove, isFolded = false, notice = '', editing = '', reason = '' } = options
  return html`<form method="post">
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${notice}
    <div class="choices">
      ${mayApprove ? approveButton(isFolded) : ''}
      <button type="submit" name="does" value="decline" class="second">Decline</button>
    </div>
    ${mayApprove ? html`<p>${isFolded ? afterUnfolding : atOnce}</p>` : ''} ${editing}
    <details ${reason === '' ? '' : html`open`}>
      <summary>Decline with a reason or a question</summary>
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

const atOnce = 'Approving runs this immediately, exactly as shown. This cannot be undone.'
const afterUnfolding = 'The first press of Approve shows the whole text. The second one runs it.'

// Not a decision: it is answered with the same page unfolded, and what was entered.
const approveButton = (isFolded: boolean): Html =>
  html`<button type="submit" name="does" value="${isFolded ? 'unfold' : 'confirm'}">Approve</button>`

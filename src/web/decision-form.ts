import { limits } from '../limits.ts'
import { type Html, type Part, html } from './html.ts'
import {
  type PasskeyAsk,
  assertionFields,
  passkeyAttributes,
  passkeyButton,
  passkeyProblem,
  signedFields,
  withoutPasskeyNotice,
} from './passkey-form.ts'

/** The buttons that decide about a proposal, and where a member may say why they decline. */
export function decisionForm(options: {
  /** Hidden fields: what was shown. */
  hidden: Record<string, string>
  mayApprove: boolean
  /** Where approving requires a passkey: what it signs, or why there is none. */
  passkey?: PasskeyAsk | undefined
  /** Shown above the buttons. */
  notice?: Part
  /** What the member wrote, where the form was refused. */
  reason?: string | undefined
}): Html {
  const { hidden, mayApprove: isOpen, passkey, notice = '', reason = '' } = options
  const mayApprove = isOpen && (passkey === undefined || passkey.has === 'some')
  const signing = mayApprove && passkey?.has === 'some' ? passkey : undefined
  return html`<form method="post" ${signing ? signingAttributes(signing) : ''}>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${signing ? html`<input type="hidden" name="nonce" value="${signing.nonce}" />${signedFields(assertionFields)}` : ''}
    ${notice} ${isOpen && passkey && passkey.has !== 'some' ? withoutPasskeyNotice(passkey) : ''}
    ${signing ? passkeyProblem : ''}
    <div class="choices">
      ${mayApprove ? approveButton(signing) : ''}
      <button type="submit" name="does" value="decline" class="second">Decline</button>
    </div>
    ${
      mayApprove ? html`<p>Approving runs this immediately, exactly as shown. This cannot be undone.</p>` : ''
    }
    ${signing ? signedText(signing.text) : ''}
    <details ${reason === '' ? '' : html`open`}>
      <summary>Decline with a reason</summary>
      <label for="reason">Reason</label>
      <textarea
        id="reason"
        name="reason"
        rows="3"
        maxlength="${limits.reasonCharsMax}"
        aria-describedby="reason-hint"
      >
${reason}</textarea>
      <p id="reason-hint">The agent and the administrators of the account can read it.</p>
      <div class="choices">
        <button type="submit" name="does" value="decline" class="second">Decline with this reason</button>
      </div>
    </details>
  </form>`
}

type Signing = Extract<PasskeyAsk, { has: 'some' }>

const signingAttributes = ({ site, origin, digest, nonce, passkeys }: Signing): Part[] =>
  passkeyAttributes('decide', { site, origin, digest, nonce, passkeys: JSON.stringify(passkeys) })

const approveButton = (signing: Signing | undefined): Html =>
  signing
    ? passkeyButton('Approve with passkey', { name: 'does', value: 'confirm' })
    : html`<button type="submit" name="does" value="confirm">Approve</button>`

/** The very text whose hash the passkey signs: the script of the page reads it from here. */
const signedText = (text: string): Html =>
  html`<details>
    <summary>What your passkey signs</summary>
    <p>Your yes to exactly this text, for this proposal, once:</p>
    <pre id="passkey-text" dir="ltr">${text}</pre>
  </details>`

import { type Html, type Part, html, perViewer } from './html.ts'
import { minuteIn } from './times.ts'

/** What a page of a decision has of the member's passkeys: see `askPasskey`. */
export type PasskeyAsk =
  | {
      has: 'some'
      site: string
      origin: string
      digest: string
      nonce: string
      text: string
      passkeys: { id: string; transports: string[] }[]
    }
  | { has: 'none'; isBound: boolean }
  | { has: 'none_yet'; from: Date }
  | { has: 'no_site' }

/** The attributes of a form that the script of passkeys fills in. */
export const passkeyAttributes = (
  purpose: 'decide' | 'add' | 'sign_in',
  data: Record<string, string>,
): Part[] =>
  Object.entries({ passkey: purpose, ...data }).map(
    ([name, value]) => html`${{ html: ` data-${name}=` }}"${value}"`,
  )

/** Fields that the script fills in. */
export const signedFields = (names: readonly string[]): Part[] =>
  names.map((name) => html`<input type="hidden" name="${name}" value="" />`)

/** What a passkey signs, as the form sends it. */
export const assertionFields = ['credential', 'client_data', 'authenticator_data', 'signature'] as const

/** The button that has the passkey sign, and what is said where that fails. */
export const passkeyButton = (label: string, more: { name?: string; value?: string } = {}): Html =>
  html`<button
    type="submit"
    data-signs
    ${more.name === undefined ? '' : html`name="${more.name}" value="${more.value ?? ''}"`}
  >
    ${label}
  </button>`

export const passkeyProblem: Html = html`<p class="problem" role="alert" data-passkey-problem hidden></p>
  <noscript><p class="notice">A passkey needs JavaScript. Turn it on for this page.</p></noscript>`

/** Why the member cannot approve with a passkey, and what to do. */
export function withoutPasskeyNotice(ask: Exclude<PasskeyAsk, { has: 'some' }>): Html {
  const add = html`<a href="/console/passkeys">Your passkeys</a>`
  switch (ask.has) {
    case 'none':
      return html`<p class="notice">
        The policy requires a passkey${ask.isBound ? ' that is bound to its device' : ''} to approve this, and
        you have none. Add one under ${add}. You can decline.
      </p>`
    case 'none_yet':
      return html`<p class="notice">
        The policy requires a passkey to approve this. You added yours recently: it decides from
        ${perViewer(({ timeZone }) => minuteIn(ask.from, timeZone))}. You can decline.
      </p>`
    case 'no_site':
      return html`<p class="notice">
        The policy requires a passkey to approve this, and browsers have none at the address of this service.
        Ask its operator to set <code>PUBLIC_URL</code>. You can decline.
      </p>`
  }
}

/** A passkey that can sign a decision. */
export type PasskeyToUse = Extract<PasskeyAsk, { has: 'some' }>

/** The attributes of a form whose decision a passkey signs. */
export const signingAttributes = ({ site, origin, digest, nonce, passkeys }: PasskeyToUse): Part[] =>
  passkeyAttributes('decide', { site, origin, digest, nonce, passkeys: JSON.stringify(passkeys) })

/** The fields of such a form. */
export const signingFields = ({ nonce }: PasskeyToUse): Html =>
  html`<input type="hidden" name="nonce" value="${nonce}" />${signedFields(assertionFields)}`

/** The very text whose hash the passkey signs: the script of the page reads it from here. */
export const signedText = (text: string): Html =>
  html`<details>
    <summary>What your passkey signs</summary>
    <p>Your yes to exactly this text, for this proposal, once:</p>
    <pre id="passkey-text" dir="ltr">${text}</pre>
  </details>`

import { type RejectedForm, choice, field, textArea } from './fields.ts'
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

/** A field that a member may change before they approve. `as` absent: text of several lines; else a number, or one of these. */
interface EditField {
  name: string
  label: string
  text: string
  hint?: string
  as?: 'number' | readonly string[]
}

/** The names of these fields in a form begin with it. */
const prefix = 'change.'

/** The name of such a field in a form. Pure. */
export const changeField = (name: string): string => `${prefix}${name}`

/** What a form has for the fields that a member may change, by their names. Pure. */
export const enteredChanges = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), text]] : [],
    ),
  )

/** The same as fields of a form. Pure. */
export const changeFields = (entered: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(entered).map(([name, text]) => [changeField(name), text]))

/** The part of a decision form in which a member changes the proposal. Nothing where they may change nothing of it. */
export function editPart(fields: EditField[], rejected?: RejectedForm): Part {
  if (fields.length === 0) return ''
  return html`<details ${rejected ? html`open` : ''}>
    <summary>Change it before you approve</summary>
    ${fields.map((one) => control(one, rejected))}
    <div class="choices">
      <button type="submit" name="does" value="edit" class="second">Review changes</button>
    </div>
  </details>`
}

// Not required: the same form declines.
function control({ name, label, text, hint, as }: EditField, rejected: RejectedForm | undefined): Html {
  const options = {
    name: changeField(name),
    label,
    value: text,
    isRequired: false,
    isMarked: false,
    ...(hint === undefined ? {} : { hint }),
    rejected,
  }
  if (as === undefined) return textArea({ ...options, rows: 6 })
  if (as === 'number') return field({ ...options, inputmode: 'decimal' })
  return choice({ ...options, values: as.map((value) => [value, value === '' ? 'none' : value] as const) })
}

/**
 * The form below the card of version 2: one press consents to it.
 * @param options.back  where the proposal is as it was
 * @param options.passkey  where approving requires a passkey: what it signs, or why there is none
 */
export function changedForm(options: {
  hidden: Record<string, string>
  back: string
  passkey?: PasskeyAsk | undefined
}): Html {
  const { hidden, back, passkey } = options
  const signing = passkey?.has === 'some' ? passkey : undefined
  return html`<form method="post" ${signing ? signingAttributes(signing) : ''}>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${signing ? html`${signingFields(signing)} ${passkeyProblem}` : ''}
    ${passkey && passkey.has !== 'some' ? withoutPasskeyNotice(passkey) : ''}
    ${passkey === undefined || signing ? html`<div class="choices">${approveButton(signing)}</div>` : ''}
    <p>
      Approving runs this immediately, exactly as shown. This cannot be undone.
      <a href="${back}">Discard changes</a>
    </p>
    ${signing ? signedText(signing.text) : ''}
  </form>`
}

const approveButton = (signing: PasskeyToUse | undefined): Html =>
  signing
    ? passkeyButton('Approve changes with passkey', { name: 'does', value: 'confirm' })
    : html`<button type="submit" name="does" value="confirm">Approve with changes</button>`

import { type Html, type Part, html } from './html.ts'
import { prose } from './prose.ts'

/** A form that was refused: the reason, and the values the user entered, to show the form again. */
export interface RejectedForm {
  problem: string
  values: Record<string, string>
  /** The name of the field that was wrong; absent where the reason concerns no field, or several. */
  field?: string | undefined
  /** Further reasons, of other fields. */
  others?: readonly Reason[] | undefined
}

/** Why a form was refused. */
export type Reason = Pick<RejectedForm, 'problem' | 'field'>

interface FieldOptions {
  name: string
  label: string
  hint?: Part
  /** The values the user entered before. */
  rejected?: RejectedForm | undefined
  value?: string
  isRequired?: boolean
  /** Whether an optional field says so. Default: yes. */
  isMarked?: boolean
  charsMax?: number
}

interface InputOptions extends FieldOptions {
  type?: 'text' | 'email' | 'number' | 'date' | 'password' | 'url'
  autocomplete?: string
  inputmode?: 'decimal'
  placeholder?: string
}

const reasonsOf = (rejected: RejectedForm): Reason[] => [rejected, ...(rejected.others ?? [])]

/** The reasons why a form was refused, where the page does not show the form. */
export const problemsText = (rejected: RejectedForm): string =>
  reasonsOf(rejected)
    .map(({ problem }) => problem)
    .join(' ')

/** The reasons why a form was refused, each with a link to its wrong field; nothing otherwise. */
export function formProblem(rejected: RejectedForm | undefined): Part {
  if (!rejected) return ''
  return html`<p class="problem" role="alert">
    ${reasonsOf(rejected).map((reason, at) => [at === 0 ? '' : ' ', linked(reason)])}
  </p>`
}

const linked = ({ problem, field }: Reason): Part =>
  field === undefined ? prose(problem) : html`<a href="#${field}">${prose(problem)}</a>`

/** A text field with its label. The service repeats every check of the browser. */
export function field(options: InputOptions): Html {
  const { name, type = 'text', autocomplete = 'off', isRequired = true, charsMax } = options
  return labelled(
    options,
    html`<input
      id="${name}"
      name="${name}"
      type="${type}"
      ${
        // A secret is never shown again.
        type === 'password' ? html`spellcheck="false"` : html`value="${fieldValue(options)}"`
      }
      autocomplete="${autocomplete}"
      ${optional('inputmode', options.inputmode)}
      ${optional('placeholder', options.placeholder)}
      ${isRequired ? html`required` : ''}
      ${optional('maxlength', charsMax)}
      ${describedBy(options)}
    />`,
  )
}

/** A text area with its label. */
export function textArea(options: FieldOptions & { rows?: number }): Html {
  const { name, isRequired = true, rows = 3 } = options
  return labelled(
    options,
    html`<textarea
      id="${name}"
      name="${name}"
      rows="${rows}"
      ${isRequired ? html`required` : ''}
      ${describedBy(options)}
    >
${fieldValue(options)}</textarea>`,
  )
}

/** A select with its label: values and their labels. */
export function choice(options: FieldOptions & { values: readonly (readonly [string, string])[] }): Html {
  const { name, values } = options
  const chosen = fieldValue(options)
  return labelled(
    { isRequired: true, ...options },
    html`<select id="${name}" name="${name}" ${describedBy(options)}>
      ${values.map(
        ([value, words]) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${words}</option>`,
      )}
    </select>`,
  )
}

/** So many checkboxes are below each other; more are in columns. */
const inOneColumn = 20

/** A group of checkboxes, each sent as `on` under its own name. `name`: what a refusal calls the whole group. */
export function checkboxes(options: {
  name?: string
  legend: string
  hint: Part
  boxes: { name: string; words: string; isChecked: boolean }[]
  rejected?: RejectedForm | undefined
}): Html {
  const { name, legend, hint, boxes, rejected } = options
  const wrong = [name, ...boxes.map((box) => box.name)].find(
    (one) => one !== undefined && isWrong(one, rejected),
  )
  return html`<fieldset
    class="checks ${boxes.length > inOneColumn ? 'columns' : 'narrow'}"
    ${optional('id', name)}
    ${wrong === undefined ? '' : html`aria-describedby="${wrong}-error"`}
  >
    <legend>${legend}</legend>
    ${wrong === undefined ? '' : fieldError(wrong, rejected)}
    ${boxes.map(({ name: box, words, isChecked }, at) => {
      const isOn = rejected ? Object.hasOwn(rejected.values, box) : isChecked
      const isFirst = wrong !== undefined && wrong === rejected?.field
      const isFocused = isFirst && (wrong === box || (wrong === name && at === 0))
      return html`<label for="${box}">
        <input
          id="${box}"
          name="${box}"
          type="checkbox"
          value="on"
          ${isOn ? html`checked` : ''}
          ${isFocused ? html`autofocus` : ''}
        />
        ${words}
      </label> `
    })}
    <p class="hint">${hint}</p>
  </fieldset>`
}

/** The attributes of a control that tie it to its hint and to the reason why it was refused. */
export function describedBy({
  name,
  hint,
  rejected,
}: Pick<FieldOptions, 'name' | 'hint' | 'rejected'>): Part {
  const wrong = isWrong(name, rejected)
  const ids = [...(wrong ? [`${name}-error`] : []), ...(hint === undefined ? [] : [`${name}-hint`])]
  return [
    ids.length === 0 ? '' : html`aria-describedby="${ids.join(' ')}"`,
    wrong ? html` aria-invalid="true"` : '',
    // A page has one focus: the first wrong field.
    wrong && rejected?.field === name ? html` autofocus` : '',
  ]
}

/** The reason why a field was refused, to stand at its control; nothing for other fields. */
export function fieldError(name: string, rejected: RejectedForm | undefined): Part {
  const reason = reasonAt(name, rejected)
  return reason ? html`<p class="field-error" id="${name}-error">${prose(reason.problem)}</p>` : ''
}

const reasonAt = (name: string, rejected: RejectedForm | undefined): Reason | undefined =>
  rejected && reasonsOf(rejected).find(({ field: wrong }) => wrong === name)

const isWrong = (name: string, rejected: RejectedForm | undefined): boolean =>
  reasonAt(name, rejected) !== undefined

function labelled(options: FieldOptions, control: Html): Html {
  const { name, label, hint, rejected, isRequired = true, isMarked = true } = options
  return html`<div class="field">
    <label for="${name}">${label}${isRequired || !isMarked ? '' : optionalMark}</label>
    ${control} ${fieldError(name, rejected)}
    ${hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`
}

const fieldValue = ({ rejected, name, value }: FieldOptions): string => rejected?.values[name] ?? value ?? ''
const optionalMark = html` <span class="optional">(optional)</span>`
const optional = (attribute: string, value: string | number | undefined): Part =>
  value === undefined ? '' : html`${attribute}="${value}"`

import { type Html, type Part, html } from '../web/html.ts'
import type { RejectedForm } from './page.ts'

/**
 * A table. The explicit roles keep it a table for screen readers when a narrow page shows its rows as blocks.
 * @param label  what it lists
 * @param rows cells in the order of the columns; the first cell is the row header
 */
export function table(label: string, columns: string[], rows: Part[][]): Html {
  return html`<table role="table" aria-label="${label}">
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((column) => html`<th role="columnheader" scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (cells) =>
          html`<tr role="row">
            ${cells.map((cell, at) => cellOf(cell, columns[at]!, at))}
          </tr> `,
      )}
    </tbody>
  </table>`
}

const cellOf = (cell: Part, column: string, at: number): Html =>
  at === 0
    ? html`<th role="rowheader" scope="row" data-label="${column}"><div>${cell}</div></th>`
    : html`<td role="cell" data-label="${column}"><div>${cell}</div></td>`

/** A list of details: label and value. */
export const facts = (pairs: [string, Part][]): Html =>
  html`<dl class="facts">
    ${pairs.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div> `,
    )}
  </dl>`

/** The empty state of a list: why it is empty, and what to do next. */
export const empty = (text: Part): Html => html`<p class="empty">${text}</p>`

/** The reason why a form was refused; nothing otherwise. */
export const formProblem = (rejected: RejectedForm | undefined): Part =>
  rejected ? html`<p class="problem" role="alert">${rejected.problem}</p>` : ''

interface FieldOptions {
  name: string
  label: string
  hint?: Part
  /** The values the user entered before. */
  rejected?: RejectedForm | undefined
  value?: string
  isRequired?: boolean
  charsMax?: number
}

/** A text field with its label. The service repeats every check of the browser. */
export function field(
  options: FieldOptions & { type?: 'text' | 'email' | 'number' | 'date'; autocomplete?: string },
): Html {
  const { name, label, hint, type = 'text', autocomplete = 'off', isRequired = true, charsMax } = options
  return html`<div class="field">
    <label for="${name}">${label}${isRequired ? '' : optionalMark}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${fieldValue(options)}"
      autocomplete="${autocomplete}"
      ${isRequired ? html`required` : ''}
      ${charsMax === undefined ? '' : html`maxlength="${charsMax}"`}
      ${described(options)}
    />
    ${hintOf(name, hint)}
  </div>`
}

/** A text area with its label. */
export function textArea(options: FieldOptions & { rows?: number }): Html {
  const { name, label, hint, isRequired = true, rows = 3 } = options
  return html`<div class="field">
    <label for="${name}">${label}${isRequired ? '' : optionalMark}</label>
    <textarea
      id="${name}"
      name="${name}"
      rows="${rows}"
      ${isRequired ? html`required` : ''}
      ${described(options)}
    >
${fieldValue(options)}</textarea>
    ${hintOf(name, hint)}
  </div>`
}

/** A select with its label: values and their labels. */
export function choice(options: FieldOptions & { values: readonly (readonly [string, string])[] }): Html {
  const { name, label, hint, values } = options
  const chosen = fieldValue(options)
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}" ${described(options)}>
      ${values.map(
        ([value, words]) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${words}</option>`,
      )}
    </select>
    ${hintOf(name, hint)}
  </div>`
}

/** A group of checkboxes, each sent as `on` under its own name. */
export function checkboxes(options: {
  legend: string
  hint: Part
  boxes: { name: string; words: string; isChecked: boolean }[]
  rejected?: RejectedForm | undefined
}): Html {
  const { legend, hint, boxes, rejected } = options
  return html`<fieldset class="checks narrow">
    <legend>${legend}</legend>
    ${boxes.map(({ name, words, isChecked }) => {
      const isOn = rejected ? Object.hasOwn(rejected.values, name) : isChecked
      return html`<label for="${name}">
        <input id="${name}" name="${name}" type="checkbox" value="on" ${isOn ? html`checked` : ''} />
        ${words}
      </label> `
    })}
    <p class="hint">${hint}</p>
  </fieldset>`
}

const fieldValue = ({ rejected, name, value }: FieldOptions): string => rejected?.values[name] ?? value ?? ''
const optionalMark = html` <span class="optional">(optional)</span>`
const described = ({ name, hint }: FieldOptions): Part =>
  hint === undefined ? '' : html`aria-describedby="${name}-hint"`
const hintOf = (name: string, hint: Part | undefined): Part =>
  hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`

/** A time to the minute, with its distance from now. */
export function moment(at: Date | string | null, now: Date = new Date()): Part {
  if (at === null) return html`<span class="none">never</span>`
  const then = new Date(at)
  return html`<time datetime="${then.toISOString()}">${minuteOf(then)}</time>
    <span class="ago">${distance(then, now)}</span>`
}

const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** `3 h ago`, `in 2 days`, by the largest unit that fits. Pure. */
export function distance(at: Date, now: Date): string {
  const seconds = Math.abs(now.getTime() - at.getTime()) / 1_000
  if (seconds < 60) return at <= now ? 'just now' : 'in a moment'
  const [size, unit] = units.find(([least]) => seconds >= least)!
  const count = Math.floor(seconds / size)
  const words = `${count} ${unit}${count > 1 && unit === 'day' ? 's' : ''}`
  return at <= now ? `${words} ago` : `in ${words}`
}

const units: [number, string][] = [
  [86_400, 'day'],
  [3_600, 'h'],
  [60, 'min'],
]

/** A name that somebody chose, isolated from the text around it. */
export const nameOf = (name: string): Html => html`<bdi class="name">${name}</bdi>`

/** A tier as a badge: the more it allows, the stronger its colour. Its name always stands in it. */
export const tierBadge = (tier: string): Html => html`<span class="badge tier ${tier}">${tier}</span>`

/** The link to the next page of a list; nothing on the last page. */
export const nextPage = (href: string | undefined): Part =>
  href === undefined ? '' : html`<p class="pager"><a href="${href}" rel="next">Next page</a></p>`

/** A confirmation form: a button that does it, and a link that goes back. */
export const confirmation = (options: {
  button: string
  back: string
  isHarmless?: boolean
  fields?: Html
  /** Where it is sent; absent: the page itself. */
  action?: string
}): Html =>
  html`<form method="post" ${options.action === undefined ? '' : html`action="${options.action}"`}>
    ${options.fields ?? ''}
    <button ${options.isHarmless ? '' : html`class="danger"`} type="submit">${options.button}</button>
    <a class="button" href="${options.back}">Go back</a>
  </form>`

/** A link in a table. The hidden text tells it apart from the same link in other rows for screen readers. */
export const rowLink = (href: string, words: string, about: string): Html =>
  html`<a href="${href}">${words}<span class="hidden"> ${about}</span></a>`

/** An e-mail address with line-break opportunities after `@` and dots. */
export const address = (text: string): Html =>
  html`${text.split(/(?<=[@.])/).map((part, at) => (at === 0 ? part : html`<wbr />${part}`))}`

import { type Html, type Part, html, perViewer, toMarkup } from '../web/html.ts'
import { type Viewer, distance, fullTimeIn, millisecondIn, minuteIn } from '../web/times.ts'

// The controls of forms: the pages behind links use the same.
export { checkboxes, choice, field, formProblem, textArea } from '../web/fields.ts'

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

/** A time in the viewer's zone, to the minute, and how long ago or until then. Tables show the first on hover only. */
export const moment = (at: Date | string | null): Part =>
  at === null
    ? html`<span class="none">never</span>`
    : timeOf(
        at,
        (then, viewer) =>
          html`<span class="at">${minuteIn(then, viewer.timeZone)}</span>
            <span class="ago">${distance(then, viewer.now)}</span>`,
      )

/** `3 minutes ago`, with the time on hover. */
export const ago = (at: Date | string): Html => timeOf(at, (then, { now }) => html`${distance(then, now)}`)

/** A time in the viewer's zone, to the millisecond. */
export const exactTime = (at: Date | string): Html =>
  timeOf(at, (then, { timeZone }) => html`${millisecondIn(then, timeZone)}`)

function timeOf(at: Date | string, words: (then: Date, viewer: Viewer) => Html): Html {
  const then = new Date(at)
  return perViewer((viewer) => {
    const title = fullTimeIn(then, viewer.timeZone)
    return toMarkup(
      html`<time datetime="${then.toISOString()}" title="${title}">${words(then, viewer)}</time>`,
      viewer,
    )
  })
}

/** A name that somebody chose, isolated from the text around it. */
export const nameOf = (name: string): Html => html`<bdi class="name">${name}</bdi>`

/** A tier as a badge: the more it allows, the stronger its colour. Its name always stands in it. */
export const tierBadge = (tier: string): Html => html`<span class="badge tier ${tier}">${tier}</span>`

/** The link to the next page of a list; nothing on the last page. */
export const nextPage = (href: string | undefined): Part =>
  href === undefined ? '' : html`<p class="pager"><a href="${href}" rel="next">Next page</a></p>`

/** Leads to the whole list as a file. */
export const csvLink = (href: string): Html =>
  html`<p class="actions"><a class="button" href="${href}" download>Download as CSV</a></p>`

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

/** A name with line-break opportunities after underscores. */
export const breakable = (name: string): Part =>
  name.split(/(?<=_)/).map((part, at) => (at === 0 ? part : html`<wbr />${part}`))

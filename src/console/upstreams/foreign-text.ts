import type { DefinitionLine } from '../../operations/upstreams/definition-lines.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { quoteLine, quoteLines, unbroken } from '../../text/quote-lines.ts'
import { type Html, type Part, html } from '../../web/html.ts'

/** A text that a server wrote: behind bars, with invisible characters written out. It cannot pass for text of the page. */
export const foreignText = (caption: string, text: string): Html => foreignFigure(caption, quoteLines(text))

const foreignFigure = (caption: string, quoted: string[]): Html =>
  html`<figure class="foreign">
    <figcaption>${caption}</figcaption>
    <pre class="message code" dir="ltr">${unbroken(quoted.join('\n'))}</pre>
  </figure>`

/** Says who wrote something. */
export const writtenBy = (upstream: string, what: string): string =>
  `${what}, written by the MCP server ${upstream}, not by the gate`

/** Every value of a definition, at its place: one line each, whatever the keys hold. */
export const foreignDefinition = (upstream: string, lines: DefinitionLine[]): Html =>
  foreignFigure(
    writtenBy(upstream, 'Definition'),
    lines.flatMap(({ at, value }) => quoteLine(`${at}  ${value}`)),
  )

/** The values that differ, each below the one that it replaces. */
export const foreignDifference = (upstream: string, lines: DefinitionLine[]): Html =>
  html`<figure class="foreign">
    <figcaption>${writtenBy(upstream, 'Changed values')}</figcaption>
    <ul class="diff" dir="ltr">
      ${lines.map((line, at) => difference(line, counterpart(lines, at)))}
    </ul>
  </figure>`

/** The value that a line replaces, or by which it is replaced: they stand next to each other. */
function counterpart(lines: DefinitionLine[], at: number): DefinitionLine | undefined {
  const other = lines[lines[at]!.change === 'removed' ? at + 1 : at - 1]
  return other?.at === lines[at]!.at && other.change !== lines[at]!.change ? other : undefined
}

function difference({ change, at, value }: DefinitionLine, other: DefinitionLine | undefined): Html {
  const words = html`<code>${escapeInvisible(at)}</code> ${marked(value, other?.value)}`
  return change === 'removed'
    ? html`<li class="removed">
        <del><span class="hidden">removed: </span>${words}</del>
      </li>`
    : html`<li class="added">
        <ins><span class="hidden">added: </span>${words}</ins>
      </li>`
}

/**
 * A value with what differs from another one marked, from the first character that differs to the last. In linear time: servers
 * wrote both.
 */
function marked(value: string, other: string | undefined): Part {
  if (other === undefined) return escapeInvisible(value)
  const [one, two] = [[...value], [...other]]
  const most = Math.min(one.length, two.length)
  let start = 0
  while (start < most && one[start] === two[start]) start++
  let end = 0
  while (end < most - start && one.at(-1 - end) === two.at(-1 - end)) end++
  const part = (from: number, to: number) => escapeInvisible(one.slice(from, to).join(''))
  const till = one.length - end
  return html`${part(0, start)}${till > start ? html`<mark>${part(start, till)}</mark>` : ''}${part(till, one.length)}`
}

import { escapeInvisible, escapeWhatIsLeft, visibleJson } from '../text/escape-invisible.ts'

/** The width of a terminal. */
export const lineCharsMax = 100
/** The last column of a table breaks between words if it has as much room; otherwise the table is printed row by row. */
const lastColumnCharsMin = 30

interface TableWords {
  /** The columns of a table, in this order; absent: every column. */
  columns?: string[] | undefined
  /** The text that is printed instead of a table without rows. */
  empty?: string | undefined
}

/**
 * The answer for people: a list as a table, an object as one line per field. Columns are aligned. A column without values
 * is left out; `--json` has everything.
 */
export function formatForPeople(answer: unknown, words: TableWords = {}): string {
  if (!Array.isArray(answer)) return fields(answer as object)
  if (answer.length === 0) return words.empty ?? 'none'
  const rows = answer as Record<string, unknown>[]
  const columns = (words.columns ?? [...new Set(rows.flatMap(Object.keys))]).filter((column) =>
    rows.some((row) => !isBlank(row[column])),
  )
  const table = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cell(row[column]))),
  ]
  return roomOfLast(widthsOf(table)) < lastColumnCharsMin ? rows.map(fields).join('\n\n') : aligned(table)
}

/** One line per field, for an object or a row that is too wide for a table. */
const fields = (row: object): string =>
  aligned(Object.entries(row).map(([name, value]) => [name, cell(value)]))

/** Columns of text. What does not fit in a column goes on in the next line. */
export function aligned(rows: string[][]): string {
  const widths = widthsOf(rows)
  const rooms = [...widths.slice(0, -1), Math.max(roomOfLast(widths), lastColumnCharsMin)]
  return rows
    .flatMap((row) => {
      const cells = row.map((text, i) => brokenLines(text, rooms[i]!))
      const height = Math.max(...cells.map((lines) => lines.length))
      return Array.from({ length: height }, (_, line) =>
        cells
          .map((lines, i) => (lines[line] ?? '').padEnd(widths[i]!))
          .join('  ')
          .trimEnd(),
      )
    })
    .join('\n')
}

/** The widths of columns. Where the last one has no room, the widest before it is narrowed, as far as its words allow. */
function widthsOf(rows: string[][]): number[] {
  const widths = (rows[0] ?? []).map((_, i) => widest(rows.map((row) => row[i]!)))
  const [missing, before] = [lastColumnCharsMin - roomOfLast(widths), widths.slice(0, -1)]
  if (missing <= 0 || before.length === 0) return widths
  const i = before.indexOf(Math.max(...before))
  const word = widest(rows.flatMap((row) => row[i]!.split(' ')))
  const narrowed = widths.with(i, Math.max(widths[i]! - missing, word))
  return roomOfLast(narrowed) < lastColumnCharsMin ? widths : narrowed
}

const widest = (texts: string[]): number => Math.max(...texts.map((text) => text.length))

/** The characters that a line has left for its last column; all that it needs if everything fits. */
function roomOfLast(widths: number[]): number {
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
  const last = widths.at(-1) ?? 0
  return before + last <= lineCharsMax ? Math.max(last, lastColumnCharsMin) : lineCharsMax - before
}

function brokenLines(text: string, charsMax: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)!} ${word}`
    if (lines.length > 0 && longer.length > charsMax) lines.push(word)
    else lines.splice(-1, 1, longer)
  }
  return lines
}

/** A text from outside in one line, without what steers a terminal or has no glyph. */
export const printable = (text: string): string => escapeInvisible(text.replaceAll('\n', '↵'))

/**
 * Prints lines for people. Everything that the command line says passes here, so no text of a row, a file or a server reaches a
 * terminal as it is.
 */
export const print = (stream: NodeJS.WritableStream, text: string): void =>
  void stream.write(`${escapeWhatIsLeft(text)}\n`)

/** Prints the answer for programs, in one line. */
export const printJson = (stream: NodeJS.WritableStream, answer: unknown): void =>
  void stream.write(`${visibleJson(answer)}\n`)

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

function cell(value: unknown): string {
  if (isBlank(value)) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value instanceof Date) return value.toISOString().replace(/\.\d{3}Z$/, 'Z')
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return cell(value.join(', '))
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

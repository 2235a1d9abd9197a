import { csvRow } from '../operations/csv.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'
import type { Download } from './page.ts'

/** A CSV file. @param name  without its ending */
export const csvFile = (name: string, lines: AsyncIterable<string>): Download => ({
  fileName: `${name}.csv`,
  type: 'text/csv; charset=utf-8',
  lines: withByteOrderMark(lines),
})

/** Spreadsheets read a file as UTF-8 only with this mark. */
async function* withByteOrderMark(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield '\uFEFF'
  yield* lines
}

/** What the columns of a list hold of a row, by their names. */
export type Columns<Row> = Record<string, (row: Row) => string | number | undefined>

/** The lines of a list: the names of the columns, then the rows, as safe to show as on a page. Pure. */
export async function* csvLines<Row>(
  columns: Columns<Row>,
  rows: AsyncIterable<Row>,
): AsyncGenerator<string> {
  yield csvRow(Object.keys(columns))
  for await (const row of rows) yield csvRow(Object.values(columns).map((cell) => shown(cell(row) ?? '')))
}

// Where a comma separates the decimals, spreadsheets begin a cell after each semicolon.
const shown = (cell: string | number): string =>
  escapeInvisible(String(cell)).replaceAll(/;(?="*[=+\-@])/g, ";'")

/** Begins a file. An error before the first line is shown on a page, and not in the file. */
export async function begun<Line>(lines: AsyncGenerator<Line>): Promise<AsyncIterable<Line>> {
  const first = await lines.next()
  return (async function* whole() {
    if (!first.done) yield first.value
    yield* lines
  })()
}

/** A file of one text. */
export async function* oneText(text: string): AsyncGenerator<string> {
  yield text
}

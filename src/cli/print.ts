/** What fits a terminal: wider tables are printed row by row. */
export const lineCharsMax = 100

interface TableWords {
  /** The columns of a table, in this order; absent: every column. */
  columns?: string[] | undefined
  /** Instead of a table without rows. */
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
  const table = aligned([
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cell(row[column]))),
  ])
  const isWide = table.split('\n').some((text) => text.length > lineCharsMax)
  return isWide ? rows.map(fields).join('\n\n') : table
}

/** One line per field, for an object or a row that is too wide for a table. */
const fields = (row: object): string =>
  aligned(Object.entries(row).map(([name, value]) => [name, cell(value)]))

/** Two or more columns; the last one is not padded. */
export function aligned(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f]/g

/** Stored control characters must not reach the reader's terminal. */
export const printable = (text: string): string => text.replaceAll(controls, '?')

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

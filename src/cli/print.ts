/** The answer for people: a list as a table, an object as one line per field. Columns are aligned. */
export function formatForPeople(answer: unknown): string {
  if (!Array.isArray(answer))
    return aligned(Object.entries(answer as object).map(([name, value]) => [name, cell(value)]))
  if (answer.length === 0) return 'none'
  const columns = [...new Set(answer.flatMap((row) => Object.keys(row as object)))]
  const rows = answer.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column])))
  return aligned([columns.map((column) => column.toUpperCase()), ...rows])
}

function aligned(rows: string[][]): string {
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

// Stored control characters must not reach the reader's terminal.
function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value instanceof Date) return value.toISOString()
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll(controls, '?')
}

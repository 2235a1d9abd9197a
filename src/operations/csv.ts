/** A line of a CSV file, as RFC 4180 has it. Pure. */
export const csvRow = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** A cell without the apostrophe that `csvRow` put before it. Pure. */
export const bareCell = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

// A spreadsheet runs a cell that begins with one of these as a formula; with an apostrophe before it, it shows the text.
const formula = /^'*[=+\-@\t\r]/

function csvCell(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

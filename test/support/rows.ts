import { inspect, stripVTControlCharacters } from 'node:util'
import { test } from '@jest/globals'

type Check<Cells extends readonly unknown[]> = (...cells: [...Cells]) => unknown
type Table<Cells extends readonly unknown[]> = (name: string, check: Check<Cells>, timeoutMs?: number) => void
/** Called between two rows, in this order: what `afterEach` and `beforeEach` call between two tests. */
type Between = (() => unknown)[]

/**
 * A table as one test: every row is checked, and the failure lists all that are wrong, with what was expected and received.
 * Called like `test.each(rows)(name, check)`, where each row would be a test.
 * @example testRows([['2', 4], ['3', 9]])('a number is squared', (text, square) => expect(squareOf(text)).toBe(square))
 */
export function testRows<Cells extends readonly [unknown, ...unknown[]] | readonly unknown[]>(
  rows: readonly Cells[],
  between?: Between,
): Table<Cells>
export function testRows<Row>(rows: readonly Row[], between?: Between): Table<[Row]>
export function testRows(rows: readonly unknown[], between: Between = []): Table<unknown[]> {
  return function table(name, check, timeoutMs) {
    const failure = new Error(name)
    // Leads to the table: the stack of a row leads no further than here.
    Error.captureStackTrace(failure, table)
    const run = async () => {
      const wrong = await wrongRows(rows, check, between)
      if (wrong.length === 0) return
      failure.message = [`${wrong.length} of ${rows.length} rows are wrong:`, ...wrong].join('\n\n')
      failure.stack = `Error: ${failure.message}\n${failure.stack!.slice(failure.stack!.indexOf('\n    at ') + 1)}`
      throw failure
    }
    // oxlint-disable-next-line jest/valid-title, jest/expect-expect
    test(name, run, timeoutMs)
  }
}

/** @returns each row that is wrong, with the reason */
export async function wrongRows(
  rows: readonly unknown[],
  check: Check<unknown[]>,
  between: Between = [],
): Promise<string[]> {
  if (rows.length === 0) throw new Error('The table has no rows.')
  const areLists = rows.every((row) => Array.isArray(row))
  const wrong: string[] = []
  for (const [at, row] of rows.entries()) {
    const cells = areLists ? (row as unknown[]) : [row]
    if (at > 0) for (const step of between) await step()
    try {
      await check(...cells)
    } catch (error) {
      wrong.push(`${at + 1}. ${rowWords(cells)}\n${reasonOf(error)}`)
    }
  }
  return wrong
}

function rowWords(cells: unknown[]): string {
  const shown = { depth: 1, maxStringLength: 120, maxArrayLength: 6, breakLength: Infinity, compact: true }
  const words = cells.filter((cell) => typeof cell !== 'function').map((cell) => inspect(cell, shown))
  return words.join(', ').slice(0, 400)
}

/** What Jest says about a matcher, without its first line, which names the matcher alone; and where that stands. */
function reasonOf(error: unknown): string {
  const { message, stack } = error instanceof Error ? error : { message: inspect(error), stack: '' }
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const said = lines.length > 1 && lines[0]!.startsWith('expect(') ? lines.slice(1) : lines
  const line = /\.(?:test|long)\.ts(?:\?run=\d+)?:(\d+)/.exec(stack ?? '')?.[1]
  return [...said, ...(line ? [`at line ${line}`] : [])].map((one) => `   ${one}`).join('\n')
}

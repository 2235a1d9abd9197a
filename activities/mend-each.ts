import type { Logger } from 'pino'
import { limits } from '../src/limits.ts'
import { mapConcurrent } from '../src/providers/map-concurrent.ts'

/** How long a part of a pass may begin further rows, and how many are under way at once. */
export interface PassBounds {
  partMs: number
  width: number
}

export const passBounds: PassBounds = { partMs: limits.reconcilePartMs, width: limits.reconcileRowsAtOnce }

export interface Part<Row> {
  /** For the log. */
  what: string
  pages: AsyncIterable<Row[]>
  /** Mends one row. What it throws is that row's alone. */
  mend(row: Row): Promise<unknown>
}

/**
 * Mends each row, whatever becomes of the others, until all are done or the time is over.
 * @returns how many were looked at, and how many of them failed
 */
export async function mendEach<Row>(
  log: Pick<Logger, 'warn'>,
  { what, pages, mend }: Part<Row>,
  { partMs, width }: PassBounds,
): Promise<{ tried: number; failed: number }> {
  const endAt = Date.now() + partMs
  const isOver = () => Date.now() >= endAt
  const errors: unknown[] = []
  let tried = 0
  const mendPage = (page: Row[]) =>
    mapConcurrent(width, page, async (row) => {
      if (isOver()) return
      tried++
      await mend(row).catch((error: unknown) => errors.push(error))
    })
  try {
    for await (const page of pages) {
      await mendPage(page)
      if (isOver()) break
    }
  } catch (error) {
    // A page that cannot be read ends this part alone.
    errors.push(error)
  }
  const failed = errors.length
  if (failed > 0) log.warn({ err: errors[0], failed, tried, what }, 'reconciler: some could not be mended')
  return { tried, failed }
}

/** The key of the last row that a pass has begun. The next pass goes on after it. */
export interface Place {
  after: string
}

/**
 * All rows by key, page by page: from the place on to the end, then from the beginning to the place. Where a pass ends before
 * all rows had their turn, the next one goes on with the rest.
 * @param read  a page of `limits.reconcileRowsMax` rows by key, after the given one
 */
export async function* pagesFrom<Row>(
  place: Place,
  keyOf: (row: Row) => string,
  read: (after: string | null) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  const start = place.after
  for (const first of [start, null]) {
    for (let after: string | null = first; ;) {
      const page: Row[] = await read(after)
      const rows = first === null ? page.filter((row) => keyOf(row) <= start) : page
      if (rows.length > 0) yield rows
      if (rows.length < limits.reconcileRowsMax) break
      after = keyOf(rows.at(-1)!)
    }
  }
}

import type { Logger } from 'pino'
import { limits } from '../src/limits.ts'
import { mapConcurrent } from '../src/waiting/map-concurrent.ts'

/** How long one part of a pass may start new rows, and how many rows it handles in parallel. */
export interface PassBounds {
  partMs: number
  width: number
  /** Milliseconds since 1970; by default the clock. */
  now?: () => number
}

export const passBounds: PassBounds = { partMs: limits.reconcilePartMs, width: limits.reconcileRowsAtOnce }

export interface Part<Row> {
  /** For the log. */
  what: string
  pages: AsyncIterable<Row[]>
  /** Repairs one row. An error concerns this row only. */
  repair(row: Row): Promise<unknown>
}

/**
 * Repairs each row until all are done or the time is over. A row that fails does not stop the others.
 * @returns how many rows were tried, and how many of them failed
 */
export async function repairEach<Row>(
  log: Pick<Logger, 'warn'>,
  { what, pages, repair: mend }: Part<Row>,
  { partMs, width, now = Date.now }: PassBounds,
): Promise<{ tried: number; failed: number }> {
  const endAt = now() + partMs
  const isOver = () => now() >= endAt
  const errors: unknown[] = []
  let tried = 0
  const repairPage = (page: Row[]) =>
    mapConcurrent(width, page, async (row) => {
      if (isOver()) return
      tried++
      await mend(row).catch((error: unknown) => errors.push(error))
    })
  try {
    for await (const page of pages) {
      await repairPage(page)
      if (isOver()) break
    }
  } catch (error) {
    // A page that cannot be read ends this part only.
    errors.push(error)
  }
  const failed = errors.length
  if (failed > 0)
    log.warn(
      { err: errors[0], failed, tried, what },
      'some rows could not be repaired; the next run retries them',
    )
  return { tried, failed }
}

/** The key of the last row that a pass started. The next pass continues after it. */
export interface ResumePoint {
  after: string
}

/**
 * All rows by key, page by page: from the resume point to the end, then from the beginning to the resume point. If a pass
 * ends before it reached all rows, the next pass continues with the rest.
 * @param read  a page of `limits.reconcileRowsMax` rows by key, after the given one
 */
export async function* pagesFrom<Row>(
  place: ResumePoint,
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

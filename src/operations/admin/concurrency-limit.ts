import type { Db } from '../../db/connect.ts'
import { GateError } from '../../errors.ts'

/**
 * Bounds long work: of all of this kind at most `max` are under way in a process, which has one pool.
 * @param busy  what is said to one more
 * @returns does the work; throws GateError `unavailable` where it is one too many
 */
export function concurrencyLimit(
  max: number,
  busy: string,
): <T>(db: Db, work: () => Promise<T>) => Promise<T> {
  const underWay = new WeakMap<Db, number>()
  return async (db, work) => {
    const others = underWay.get(db) ?? 0
    if (others >= max) throw new GateError('unavailable', `${busy} Try again in a moment.`, 5)
    underWay.set(db, others + 1)
    try {
      return await work()
    } finally {
      underWay.set(db, underWay.get(db)! - 1)
    }
  }
}

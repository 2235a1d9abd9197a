import { GateError } from '../errors.ts'

/**
 * Limits long work: at most `max` at once in a process, which has one connection pool.
 * @param busy  the error sentence above the limit
 * @returns a function that does the work; throws GateError `unavailable` above the limit
 */
export function concurrencyLimit(
  max: number,
  busy: string,
): <T>(pool: object, work: () => Promise<T>) => Promise<T> {
  const underWay = new WeakMap<object, number>()
  return async (pool, work) => {
    const others = underWay.get(pool) ?? 0
    if (others >= max)
      throw new GateError('unavailable', `${busy} Try again in a moment.`, { retryAfterSeconds: 5 })
    underWay.set(pool, others + 1)
    try {
      return await work()
    } finally {
      underWay.set(pool, underWay.get(pool)! - 1)
    }
  }
}

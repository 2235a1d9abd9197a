import { setTimeout as sleep } from 'node:timers/promises'
import { GateError } from '../../../errors.ts'
import { limits } from '../../../limits.ts'

/**
 * Runs a statement that may be repeated, again while the database is out of reach, for a while.
 * @param stop  fires where the process ends: then it is not repeated
 * @throws what the statement throws at last
 */
export async function untilReached<T>(statement: () => Promise<T>, stop: AbortSignal): Promise<T> {
  const until = performance.now() + limits.executorRecordMs
  for (;;) {
    try {
      return await statement()
    } catch (error) {
      const isOutOfReach = error instanceof GateError && error.code === 'unavailable'
      if (!isOutOfReach || stop.aborted || performance.now() > until) throw error
    }
    await sleep(limits.executorRecordAgainMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '../../src/limits.ts'
import { isInterrupted } from '../../src/temporal/interrupted.ts'

/** What came of a write. `unanswered` says nothing: a busy machine may be slow. */
export type WriteAnswer = 'written' | 'interrupted' | 'unanswered'

export type Clock = { now(): number; wait(ms: number, signal: AbortSignal): Promise<unknown> }

const systemClock: Clock = {
  now: () => performance.now(),
  // Does not keep the process running.
  wait: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
}

/**
 * Writes to a server now and then, and restarts it once it has answered `interrupted` for `limits.temporalInterruptedMs`
 * without a success in between.
 * @returns the end of it, which waits for a restart that is under way
 */
export function watchWrites(options: {
  write: (signal: AbortSignal) => Promise<WriteAnswer>
  restart: () => Promise<void>
  clock?: Clock
}): { end(): Promise<void> } {
  const { write, restart, clock = systemClock } = options
  const ending = new AbortController()
  const { signal } = ending
  const watch = async (): Promise<void> => {
    let since: number | undefined
    for (;;) {
      await clock.wait(limits.temporalProbeEveryMs, signal)
      if (signal.aborted) return
      const answer = await write(signal)
      if (answer === 'written') since = undefined
      if (answer !== 'interrupted' || signal.aborted) continue
      since ??= clock.now()
      if (clock.now() - since < limits.temporalInterruptedMs) continue
      since = undefined
      await restart()
    }
  }
  const watching = watch()
  return {
    end: async () => {
      ending.abort()
      await watching
    },
  }
}

/**
 * Connects to a development server of our own to write to its database: the same value into the data of its namespace, each
 * time. It adds no row, and nobody else reads it.
 */
export async function namespaceWriter(
  address: string,
  namespace: string,
): Promise<{ write(signal: AbortSignal): Promise<WriteAnswer>; close(): Promise<void> }> {
  // Loads while the server starts.
  const { Connection } = await import('@temporalio/client')
  // Without the client's retries, which hide the reason behind the deadline.
  const connection = Connection.lazy({ address, interceptors: [] })
  const update = { namespace, updateInfo: { data: { 'qualification-gate.watch': 'written' } } }
  return {
    async write(signal) {
      // Each call has its own signal: a connection leaves its listener on the signal that it is given.
      const call = new AbortController()
      const abort = (): void => call.abort()
      signal.addEventListener('abort', abort)
      try {
        await connection.withAbortSignal(call.signal, () =>
          connection.withDeadline(Date.now() + limits.temporalProbeMs, () =>
            connection.workflowService.updateNamespace(update),
          ),
        )
        return 'written'
      } catch (error) {
        return isInterrupted(error) ? 'interrupted' : 'unanswered'
      } finally {
        signal.removeEventListener('abort', abort)
        // It makes every promise of the process slower until it is disabled: see db/writes.ts.
        connection.callContextStorage.disable()
      }
    },
    close: () => connection.close(),
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { finishesWithin } from '../waiting/finishes-within.ts'
import { limits } from '../limits.ts'

/** What runs once it has started. */
interface Running {
  /** Rejects if a part of it fails. */
  failed: Promise<never>
  stop(): Promise<void>
}

/** Workers that start as soon as what they need answers. */
export interface PatientWorkers {
  isWorking(): boolean
  /** Rejects if a worker fails. */
  failed: Promise<unknown>
  /** Waits for a start in progress, within the shutdown grace, and stops what it started. */
  stop(): Promise<void>
}

/** @param start  retried `retryMs` after each failure, until it succeeds or is stopped */
export function startPatiently(
  start: () => Promise<Running>,
  { log, retryMs }: { log: Pick<Logger, 'info' | 'warn'>; retryMs: number },
): PatientWorkers {
  const stopping = new AbortController()
  let workers: Running | undefined
  const starting = tryUntilStopped()
  return {
    isWorking: () => workers !== undefined && !stopping.signal.aborted,
    failed: starting.then(() => workers?.failed),
    async stop() {
      stopping.abort()
      await finishesWithin(limits.shutdownGraceMs, starting)
      await workers?.stop()
    },
  }

  async function tryUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        workers = await start()
        return log.info('workers started')
      } catch (error) {
        log.warn({ err: error }, 'workers could not start; retrying')
        await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }
}

import type { Logger } from 'pino'

/** Background tasks run after an answer, so that neither its content nor its timing reveals them. */
export interface BackgroundTasks {
  /** Starts a task after the current call. Failures are logged; above the limit the task is dropped and logged. */
  start(what: string, work: () => Promise<void>): void
  /** Resolves once no task is running. */
  idle(): Promise<void>
}

/** @param underWayMax  the maximum number of running tasks */
export function backgroundTasks(log: Pick<Logger, 'warn' | 'error'>, underWayMax: number): BackgroundTasks {
  const underWay = new Set<Promise<void>>()
  return {
    start(what, work) {
      if (underWay.size >= underWayMax) return log.warn({ what }, 'too many background tasks; task dropped')
      const done = new Promise<void>((resolve) => void setImmediate(resolve))
        .then(work)
        .catch((error: unknown) => log.error({ err: error, what }, 'background task failed'))
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}

import type { Logger } from 'pino'
import { GateError, httpStatusOf } from './errors.ts'

/** Background tasks run after an answer, so that neither its content nor its timing reveals them. */
export interface BackgroundTasks {
  /** Starts a task after the current call. Failures are logged; above the limit the task is dropped and logged. */
  start(what: string, work: () => Promise<void>): void
  /** Resolves once no task is running. */
  idle(): Promise<void>
}

/** @param underWayMax  the maximum number of running tasks */
export function backgroundTasks(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  underWayMax: number,
): BackgroundTasks {
  const underWay = new Set<Promise<void>>()
  return {
    start(what, work) {
      if (underWay.size >= underWayMax)
        return log.warn({ what }, 'background task dropped: too many are running')
      const done = new Promise<void>((resolve) => void setImmediate(resolve))
        .then(work)
        .catch((error: unknown) => logFailure(log, what, error))
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}

// A refusal is an answer to a caller who has gone, such as a late click in Slack.
function logFailure(log: Pick<Logger, 'info' | 'error'>, what: string, error: unknown): void {
  if (error instanceof GateError && httpStatusOf[error.code] < 500)
    return log.info({ what, code: error.code }, 'background task refused')
  log.error({ err: error, what }, 'background task failed')
}

import type { Logger } from 'pino'

/** Work that goes on behind an answer, so that the answer tells nothing of it, neither by its words nor by its time. */
export interface BackgroundTasks {
  /** Begins after what runs now. What fails is logged; above the bound nothing is begun, and the log says so. */
  start(what: string, work: () => Promise<void>): void
  /** Resolves once nothing is under way. */
  idle(): Promise<void>
}

/** @param underWayMax  pieces of work at a time */
export function backgroundTasks(log: Pick<Logger, 'warn' | 'error'>, underWayMax: number): BackgroundTasks {
  const underWay = new Set<Promise<void>>()
  return {
    start(what, work) {
      if (underWay.size >= underWayMax) return log.warn({ what }, 'too much goes on behind answers: dropped')
      const done = new Promise<void>((resolve) => void setImmediate(resolve))
        .then(work)
        .catch((error: unknown) => log.error({ err: error, what }, 'failed behind its answer'))
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}

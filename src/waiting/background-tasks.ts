import type { Logger } from 'pino'
import { GateError, httpStatusOf } from '../errors.ts'
import { limits } from '../limits.ts'

/**
 * Who causes a task. A flood of one lane drops and delays nothing of another.
 * - `due`: what must be done, such as a record; its number is bounded by what it follows. Never dropped
 * - `shared`: what is also done otherwise, later
 * - `sign_in`, `refused_key`: what anyone on the network can cause
 */
export type Lane = 'due' | 'shared' | 'sign_in' | 'refused_key'

interface LaneBounds {
  /** Tasks that run or wait. More are dropped. */
  underWayMax: number
  /** Tasks that run. More wait. */
  atOnceMax: number
}

const { backgroundTasksMax, signInTasksMax, signInTasksAtOnce, refusedKeyTasksMax, refusedKeyTasksAtOnce } =
  limits
const laneBounds: Record<Lane, LaneBounds> = {
  due: { underWayMax: Infinity, atOnceMax: Infinity },
  shared: { underWayMax: backgroundTasksMax, atOnceMax: backgroundTasksMax },
  sign_in: { underWayMax: signInTasksMax, atOnceMax: signInTasksAtOnce },
  refused_key: { underWayMax: refusedKeyTasksMax, atOnceMax: refusedKeyTasksAtOnce },
}

/** Background tasks run after an answer, so that neither its content nor its timing reveals them. */
export interface BackgroundTasks {
  /** Starts a task after the current call. Failures are logged; above the limit of its lane it is dropped and logged. */
  start(lane: Lane, what: string, work: () => Promise<void>): void
  /** Resolves once no task is running. */
  idle(): Promise<void>
}

export function backgroundTasks(log: Pick<Logger, 'info' | 'warn' | 'error'>): BackgroundTasks {
  const lanes = new Map<Lane, { underWay: Set<Promise<void>>; run: (work: Work) => Promise<void> }>()
  function laneOf(name: Lane) {
    const lane = lanes.get(name) ?? { underWay: new Set(), run: inTurn(laneBounds[name].atOnceMax) }
    lanes.set(name, lane)
    return lane
  }
  const underWay = () => [...lanes.values()].flatMap((lane) => [...lane.underWay])
  return {
    start(name, what, work) {
      const lane = laneOf(name)
      if (lane.underWay.size >= laneBounds[name].underWayMax)
        return log.warn({ what }, 'background task dropped: too many are running')
      const done = new Promise<void>((resolve) => void setImmediate(resolve))
        .then(() => lane.run(work))
        .catch((error: unknown) => logFailure(log, what, error))
        .finally(() => lane.underWay.delete(done))
      lane.underWay.add(done)
    },
    async idle() {
      for (let tasks = underWay(); tasks.length > 0; tasks = underWay()) await Promise.allSettled(tasks)
    },
  }
}

type Work = () => Promise<void>

/** Runs at most so many tasks at once; the others wait in their order. */
function inTurn(atOnceMax: number): (work: Work) => Promise<void> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnceMax) running++
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    try {
      await work()
    } finally {
      // The next one takes this place.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

// A refusal is an answer to a caller who has gone, such as a late click in Slack.
function logFailure(log: Pick<Logger, 'info' | 'error'>, what: string, error: unknown): void {
  if (error instanceof GateError && httpStatusOf[error.code] < 500)
    return log.info({ what, code: error.code }, 'background task refused')
  log.error({ err: error, what }, 'background task failed')
}

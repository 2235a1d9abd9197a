import { GateError } from '../errors.ts'

/** Attempts of a decision whose facts change. */
const staleTriesMax = 3

/** Attempts of a decision whose daily counts change. */
const movedTriesMax = 200

/**
 * Nothing was written, because something changed between reading and writing: what the decision rests on (`stale`), or
 * only the count of what was confirmed that day (`moved`).
 */
export type Stale = 'stale' | 'moved'

/**
 * Repeats an attempt that reads, decides and writes, while what it has read changes before it writes.
 * @param giveUp  makes the error that is thrown after the last try
 */
export async function retryStale<T>(attempt: () => Promise<T | Stale>, giveUp: () => Error): Promise<T> {
  // Every other confirm moves the count only once, so these retries end by themselves and have a higher bound.
  for (let stale = 0, moved = 0; stale < staleTriesMax && moved < movedTriesMax;) {
    const done = await attempt()
    if (done !== 'stale' && done !== 'moved') return done
    if (done === 'moved') moved++
    else stale++
  }
  throw giveUp()
}

/** @param nothingDone  a sentence that says what did not happen */
export const keepsChanging = (nothingDone: string): GateError =>
  new GateError(
    'unavailable',
    `The member, the curricula or the policy changed several times during this request. ${nothingDone} Try again.`,
    { retryAfterSeconds: 1 },
  )

import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../limits.ts'

/**
 * Waits for the database for a limited time: a database that drops packets must not stop a host from ending, nor from
 * noticing that its heartbeats fail.
 * @throws Error if the database does not answer in time; errors of `work`
 */
export function withDeadline<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, late()])
}

async function late(): Promise<never> {
  await sleep(limits.previewBeatWaitMs, undefined, { ref: false })
  throw new Error('the database did not answer in time')
}

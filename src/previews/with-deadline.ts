import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../limits.ts'

/**
 * Waits for the database a little while only: one that swallows packets must keep no host from ending, nor from noticing how
 * long it was not heard.
 * @throws Error where it did not answer in time; whatever `work` throws
 */
export function withDeadline<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, late()])
}

async function late(): Promise<never> {
  await sleep(limits.previewBeatWaitMs, undefined, { ref: false })
  throw new Error('the database did not answer in time')
}

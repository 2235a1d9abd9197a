import { limits } from '../limits.ts'
import { withDeadline } from '../waiting/with-deadline.ts'

/**
 * Waits for the database no longer than a heartbeat allows: a database that swallows packets must not keep a host from
 * stopping, nor from noticing how long it was silent.
 * @throws Error where it did not answer in time; whatever `work` throws
 */
export const withinBeat = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(limits.previewBeatWaitMs, work, () => new Error('the database did not answer in time'))

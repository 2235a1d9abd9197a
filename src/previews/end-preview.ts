import type { Db } from '../db/connect.ts'
import { type EndState, type PreviewRow, finishPreview } from '../db/queries/previews/previews.ts'
import { eventId } from '../ledger/digest.ts'
import { limits } from '../limits.ts'

/** How a preview ended. */
export interface PreviewEnding {
  state: EndState
  /** The error code; absent if it was stopped on request. */
  error?: string | undefined
  exitCode?: number | null | undefined
  /** The end of its output. */
  logTail?: string | undefined
}

/** Ends that were not requested. */
export const previewEndings = {
  stopped: { state: 'stopped' },
  suspended: { state: 'stopped', error: 'account_suspended' },
  idle: { state: 'expired', error: 'idle' },
  timeOver: { state: 'expired', error: 'time_over' },
  noHost: { state: 'failed', error: 'no_host' },
  hostLost: { state: 'failed', error: 'host_lost' },
  hostStopped: { state: 'failed', error: 'host_stopped' },
  notStarted: { state: 'failed', error: 'not_started' },
} as const satisfies Record<string, PreviewEnding>

/** Records how a preview ended. The first record is kept; returns the final row. */
export async function endPreview(
  db: Db,
  account: string,
  previewId: string,
  ending: PreviewEnding,
): Promise<PreviewRow | undefined> {
  const { state, error = null, exitCode = null } = ending
  return finishPreview(db, {
    account,
    previewId,
    state,
    error,
    exitCode,
    logTail: storable(ending.logTail),
    eventId: eventId(previewId, 'ended'),
  })
}

/** A log that PostgreSQL can store: without NUL, and limited in size. */
function storable(log: string | undefined): string | null {
  const text = (log ?? '').toWellFormed().replaceAll('\0', '\uFFFD').slice(-limits.previewLogBytesMax)
  return text === '' ? null : text.toWellFormed()
}

import { Context } from '@temporalio/activity'
import { type PreviewState, placePreview, readPreview } from '../src/db/queries/previews/previews.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { endPreview, previewEndings } from '../src/previews/end-preview.ts'
import type { PreviewHost } from '../src/previews/host.ts'
import type { PreviewInput } from '../src/temporal/names.ts'
import { withHeartbeats } from './execution.ts'

/** A preview with the way it must end, by name. */
export type EndingInput = PreviewInput & { ending: keyof typeof previewEndings }

/** Activities on the state of previews, for any worker. Each may run again after a crash. */
export function previewActivities(deps: Deps) {
  const { db, config } = deps
  return {
    /** Chooses a host, once. */
    async placePreview({
      account,
      previewId,
    }: PreviewInput): Promise<{ outcome: 'placed' | 'none' | 'over'; host: string }> {
      const placed = await placePreview(db, {
        account,
        previewId,
        hostMax: config.PREVIEWS_PER_HOST,
        hostDeadMs: limits.previewHostDeadMs,
      })
      return { outcome: placed.outcome, host: placed.host ?? '' }
    },

    /** Reads its current state from the database. */
    async reviewPreview({
      account,
      previewId,
      expiresAt,
    }: PreviewInput): Promise<{ state: PreviewState; isOver: boolean; expiresAt: string }> {
      const row = await readPreview(db, account, previewId, limits.previewHostDeadMs)
      if (!row) return { state: 'stopped', isOver: true, expiresAt }
      return { state: row.state, isOver: row.ended_at !== null, expiresAt: row.expires_at.toISOString() }
    },

    /** Records how it ended, unless that is already recorded. */
    async finishPreview({ account, previewId, ending }: EndingInput): Promise<{ state: PreviewState }> {
      const row = await endPreview(db, account, previewId, previewEndings[ending])
      return { state: row?.state ?? 'stopped' }
    },
  }
}

/** Activities on one preview host. */
export function hostActivities(host: PreviewHost) {
  return {
    /** Resolves once the preview runs or has failed; a failure is recorded in its row. */
    bootPreview: ({ account, previewId }: PreviewInput): Promise<{ state: string }> =>
      withHeartbeats(async () => ({ state: await host.boot(account, previewId) }), limits.previewBeatMs),

    /** Resolves once the preview has ended. If the workflow is cancelled, the preview is ended. If only this attempt ends, the
     * next attempt continues; the host ends previews that are not watched for long. */
    watchPreview: ({ account, previewId }: PreviewInput): Promise<void> =>
      withHeartbeats(async ({ signal }) => {
        await host.untilEnded(previewId, signal)
        if (!signal.aborted) return
        if (Context.current().cancellationDetails?.cancelRequested)
          await host.end(account, previewId, previewEndings.stopped)
        signal.throwIfAborted()
      }, limits.previewBeatMs),

    /** Ends it and removes its files. */
    clearPreview: ({ account, previewId, ending }: EndingInput): Promise<void> =>
      withHeartbeats(() => host.end(account, previewId, previewEndings[ending]), limits.previewBeatMs),
  }
}

export type HostActivities = ReturnType<typeof hostActivities>

import { Context } from '@temporalio/activity'
import { type PreviewState, placePreview, readPreview } from '../src/db/queries/previews/previews.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { endPreview, endings } from '../src/previews/end-preview.ts'
import type { PreviewHost } from '../src/previews/host.ts'
import type { PreviewInput } from '../src/temporal/names.ts'
import { withHeartbeats } from './execution.ts'

/** How a preview is to end, by name: the words are the ledger's. */
export type EndingInput = PreviewInput & { ending: keyof typeof endings }

/** The ledger's word on a preview, for whichever worker is asked. Each may be called again after a crash. */
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

    /** What stands in the ledger of it now. */
    async reviewPreview({
      account,
      previewId,
      expiresAt,
    }: PreviewInput): Promise<{ state: PreviewState; isOver: boolean; expiresAt: string }> {
      const row = await readPreview(db, account, previewId, limits.previewHostDeadMs)
      if (!row) return { state: 'stopped', isOver: true, expiresAt }
      return { state: row.state, isOver: row.ended_at !== null, expiresAt: row.expires_at.toISOString() }
    },

    /** Writes down how it ended, if nobody has. */
    async finishPreview({ account, previewId, ending }: EndingInput): Promise<{ state: PreviewState }> {
      const row = await endPreview(db, account, previewId, endings[ending])
      return { state: row?.state ?? 'stopped' }
    },
  }
}

/** What is done on one host of previews. */
export function hostActivities(host: PreviewHost) {
  return {
    /** Resolves once the preview runs, or has failed: then its row says how. */
    bootPreview: ({ account, previewId }: PreviewInput): Promise<{ state: string }> =>
      withHeartbeats(async () => ({ state: await host.boot(account, previewId) }), limits.previewBeatMs),

    /** Resolves once the preview has ended. One whose workflow was cancelled is ended; where only this try is over, the next
     * one finds it, and the host ends what nobody watches for long. */
    watchPreview: ({ account, previewId }: PreviewInput): Promise<void> =>
      withHeartbeats(async ({ signal }) => {
        await host.untilEnded(previewId, signal)
        if (!signal.aborted) return
        if (Context.current().cancellationDetails?.cancelRequested)
          await host.end(account, previewId, endings.stopped)
        signal.throwIfAborted()
      }, limits.previewBeatMs),

    /** Leaves nothing of it. */
    clearPreview: ({ account, previewId, ending }: EndingInput): Promise<void> =>
      withHeartbeats(() => host.end(account, previewId, endings[ending]), limits.previewBeatMs),
  }
}

export type PreviewActivities = ReturnType<typeof previewActivities>
export type HostActivities = ReturnType<typeof hostActivities>

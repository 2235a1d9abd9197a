import type { PreviewRow } from '../../db/queries/previews/previews.ts'
import { limits } from '../../limits.ts'
import { endPreview, endings } from '../../previews/end-preview.ts'
import { awaitPreview } from './await-preview.ts'
import type { CallContext } from '../operation.ts'
import { previewInput } from './start-preview.ts'

/**
 * Tells the workflow of a preview that it is to end, and waits a little until it has.
 * @returns the preview: ended, or `stopping` where its host takes longer
 */
export async function awaitStopped(
  context: Pick<CallContext, 'deps' | 'account' | 'signal'>,
  preview: PreviewRow,
): Promise<PreviewRow> {
  const { deps } = context
  // Where this is not heard, its host reads of the stop by itself, within seconds.
  const isLed = await deps.workflows.previews
    .wake(previewInput(deps, preview), 'stop')
    .catch((error: unknown) => {
      deps.log.warn({ err: error, preview: preview.preview_id }, 'a stop is left to its host')
      return true
    })
  if (!isLed) await endPreview(deps.db, preview.account_id, preview.preview_id, endings.stopped)
  return awaitPreview(context, preview, limits.previewStopWaitMs, (now) => now.ended_at !== null)
}

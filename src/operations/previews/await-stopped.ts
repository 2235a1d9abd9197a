import type { PreviewRow } from '../../db/queries/previews/previews.ts'
import { limits } from '../../limits.ts'
import { endPreview, previewEndings } from '../../previews/end-preview.ts'
import { awaitPreview } from './await-preview.ts'
import type { CallContext } from '../operation.ts'
import { previewInput } from './start-preview.ts'

/**
 * Tells the workflow of a preview to stop it, and waits a little until it has.
 * @returns the preview: ended, or still `stopping`
 */
export async function awaitStopped(
  context: Pick<CallContext, 'deps' | 'account' | 'hungUp'>,
  preview: PreviewRow,
): Promise<PreviewRow> {
  const { deps } = context
  // If the signal is lost, the host reads the stop from the database within seconds.
  const hasWorkflow = await deps.workflows.previews
    .wake(previewInput(deps, preview), 'stop')
    .catch((error: unknown) => {
      deps.log.warn(
        { err: error, preview: preview.preview_id },
        'the stop signal failed; the host will read it from the database',
      )
      return true
    })
  if (!hasWorkflow) await endPreview(deps.db, preview.account_id, preview.preview_id, previewEndings.stopped)
  return awaitPreview(context, preview, limits.previewStopWaitMs, (now) => now.ended_at !== null)
}

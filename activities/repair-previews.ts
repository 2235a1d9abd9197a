import { type PassBounds, repairEach } from './repair-each.ts'
import { type LostPreview, listLostPreviews } from '../src/db/queries/previews/preview-hosts.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { previewInput } from '../src/operations/previews/start-preview.ts'
import { endPreview, previewEndings } from '../src/previews/end-preview.ts'

/**
 * Repairs previews: starts workflows that were not started, and ends previews whose workflow or host is gone or whose time
 * has long expired. @returns how many there were
 */
export function repairPreviews(deps: Deps, bounds: PassBounds): Promise<{ tried: number; failed: number }> {
  return repairEach(
    deps.log,
    { what: 'previews', pages: lostPreviews(deps), repair: (preview: LostPreview) => repair(deps, preview) },
    bounds,
  )
}

async function* lostPreviews({ db }: Deps): AsyncGenerator<LostPreview[]> {
  yield await listLostPreviews(db, {
    limitRows: limits.reconcileRowsMax,
    hostDeadMs: limits.previewHostDeadMs,
    lateMs: limits.previewLateMs,
  })
}

async function repair(deps: Deps, preview: LostPreview): Promise<void> {
  const { account_id: account, preview_id: previewId } = preview
  if (preview.stray === 'start' && (await deps.workflows.previews.start(previewInput(deps, preview)))) return
  await endPreview(
    deps.db,
    account,
    previewId,
    preview.stray === 'late' ? previewEndings.timeOver : previewEndings.hostLost,
  )
}

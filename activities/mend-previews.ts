import { type PassBounds, mendEach } from './mend-each.ts'
import { type StrayPreview, listStrayPreviews } from '../src/db/queries/previews/preview-hosts.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { previewInput } from '../src/operations/previews/start-preview.ts'
import { endPreview, endings } from '../src/previews/end-preview.ts'

/**
 * Mends what was left over: starts workflows that nobody started, and ends previews whose workflow or host is gone or whose
 * time is long over. @returns how many there were, and how many of them failed
 */
export function mendPreviews(deps: Deps, bounds: PassBounds): Promise<{ tried: number; failed: number }> {
  return mendEach(
    deps.log,
    { what: 'previews', pages: strayPreviews(deps), mend: (stray: StrayPreview) => mend(deps, stray) },
    bounds,
  )
}

async function* strayPreviews({ db }: Deps): AsyncGenerator<StrayPreview[]> {
  yield await listStrayPreviews(db, {
    limitRows: limits.reconcileRowsMax,
    hostDeadMs: limits.previewHostDeadMs,
    lateMs: limits.previewLateMs,
  })
}

async function mend(deps: Deps, stray: StrayPreview): Promise<void> {
  const { account_id: account, preview_id: previewId } = stray
  if (stray.stray === 'start' && (await deps.workflows.previews.start(previewInput(deps, stray)))) return
  await endPreview(deps.db, account, previewId, stray.stray === 'late' ? endings.timeOver : endings.hostLost)
}

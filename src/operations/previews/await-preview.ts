import type { PreviewRow } from '../../db/queries/previews/previews.ts'
import type { CallContext } from '../operation.ts'
import { readSettled } from './preview-access.ts'

const previewPollMs = 1_000

/** Waits, at most `waitMs`, until a preview is as wanted: on each change it is notified of, and by polling. */
export async function awaitPreview(
  { deps, account, hungUp }: Pick<CallContext, 'deps' | 'account' | 'hungUp'>,
  preview: PreviewRow,
  waitMs: number,
  isThere: (row: PreviewRow) => boolean,
): Promise<PreviewRow> {
  const change = deps.actionEnds.expect(preview.preview_id)
  const signal = hungUp?.()
  try {
    const until = Date.now() + waitMs
    for (let row = preview; ;) {
      row = (await readSettled(deps, account, preview.preview_id)) ?? row
      const leftMs = until - Date.now()
      if (isThere(row) || leftMs <= 0 || signal?.aborted) return row
      await change.within(Math.min(previewPollMs, leftMs), signal)
    }
  } finally {
    change.forget()
  }
}

import { z } from 'zod'
import { defineOperation } from '../operation.ts'
import { previewOf } from './preview-access.ts'
import { viewPreview } from './preview-view.ts'
import { Actor, Preview, PreviewId } from '../schemas.ts'

/** Reads a preview's status, with a new link while it runs. Leaves no entry in the ledger. */
export const previewStatus = defineOperation({
  name: 'preview_status',
  title: 'Read the status of a preview',
  summary: 'Read the status of a preview: a new `url` while it runs, or how it ended.',
  tool: { group: 'preview', readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ preview_id: PreviewId, actor: Actor }),
  output: Preview,
  errors: ['not_found', 'forbidden', 'invalid'],
  powers: ['read'],
  isKeyed: false,
  async run(context, { preview_id, actor }) {
    const { preview } = await previewOf(context, preview_id, actor)
    if (preview.ended_at) return { status: 200, body: viewPreview(preview) }
    const { account, deps } = context
    const live = await deps.workflows.previews.state({ account, previewId: preview_id })
    return { status: 200, body: viewPreview(preview, live) }
  },
})

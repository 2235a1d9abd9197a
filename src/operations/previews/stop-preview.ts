import { z } from 'zod'
import { stopPreview as stopRow } from '../../db/queries/previews/previews.ts'
import { awaitStopped } from './await-stopped.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { defineOperation } from '../operation.ts'
import { noPreview, previewOf } from './preview-access.ts'
import { previewRow } from './preview-row.ts'
import { viewPreview } from './preview-view.ts'
import { requireKeyKind } from '../require-key-kind.ts'
import { Actor, Preview, PreviewId } from '../schemas.ts'

/** Stops a preview. One that has ended stays as it is, and no row is recorded. */
export const stopPreview = defineOperation({
  name: 'stop_preview',
  title: 'Stop a preview',
  summary: 'Stop a preview. Its links stop working at once.',
  tool: { group: 'preview', readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ preview_id: PreviewId, actor: Actor }),
  output: Preview,
  errors: ['not_found', 'forbidden', 'invalid'],
  powers: ['propose'],
  proposes: ['preview'],
  isKeyed: false,
  async run(context, { preview_id, actor }) {
    await requireKeyKind(context, 'preview')
    const { deps, account } = context
    const { preview: found, acting } = await previewOf(context, preview_id, actor)
    if (found.ended_at) return { status: 200, body: viewPreview(found) }
    const { policy, tier } = standingOf(deps, acting.facts, acting.member)
    const row = previewRow(context, {
      operation: 'stop',
      conversationId: found.conversation_id,
      previewId: preview_id,
      acting,
      policy,
      tier,
      rule: 'who takes part in the conversation may stop its previews',
    })
    const asked = { account, previewId: preview_id, row, by: { apiKey: context.keyHash } }
    const { outcome, preview } = await stopRow(deps.db, asked)
    if (outcome === 'missing') throw noPreview()
    if (preview.ended_at) return { status: 200, body: viewPreview(preview) }
    return { status: 200, body: viewPreview(await awaitStopped(context, preview)) }
  },
})

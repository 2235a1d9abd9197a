import { isParticipant } from '../../db/queries/previews/conversations.ts'
import { type KnownPreview, type PreviewRow, readPreview } from '../../db/queries/previews/previews.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { endPreview, previewEndings } from '../../previews/end-preview.ts'
import { previewIdForm } from '../../previews/label.ts'
import { type ActingMember, actingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import type { Actor } from '../schemas.ts'

/**
 * Reads a preview of a conversation that the named member takes part in. One whose host is lost is ended first.
 * @throws GateError `not_found`, with the same sentence where they do not take part and where there is no such preview
 */
export async function previewOf(
  context: CallContext,
  previewId: string,
  actor: Actor,
): Promise<{ preview: PreviewRow; acting: ActingMember }> {
  const { deps, account } = context
  const acting = await actingMember(context, actor)
  const preview = previewIdForm.test(previewId) ? await readSettled(deps, account, previewId) : undefined
  if (!preview) throw noPreview()
  const { memberId } = acting.member
  const conversationId = preview.conversation_id
  if (!(await isParticipant(deps.db, { account, conversationId, memberId }))) throw noPreview()
  return { preview, acting }
}

/** Reads a preview. One whose host is lost is ended first: its host no longer can. */
export async function readSettled(
  deps: Deps,
  account: string,
  previewId: string,
): Promise<PreviewRow | undefined> {
  const found: KnownPreview | undefined = await readPreview(
    deps.db,
    account,
    previewId,
    limits.previewHostDeadMs,
  )
  if (!found?.is_host_lost) return found
  return endPreview(deps.db, account, previewId, previewEndings.hostLost)
}

/** One sentence for previews that do not exist and for those of other members: the answer does not tell which. */
export function noPreview(): GateError {
  return new GateError(
    'not_found',
    "Preview not found in this member's conversations. Use the preview_id that start_preview returned.",
    { param: 'preview_id' },
  )
}

import { readAction } from '../../db/queries/actions/actions.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import { type PreviewRow, stopPreview as stopRow } from '../../db/queries/previews/previews.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { previewIdForm } from '../../previews/label.ts'
import { awaitStopped } from './await-stopped.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { readSettled } from './preview-access.ts'
import { adminStopRow } from './preview-row.ts'
import type { AdminContext } from '../admin-context.ts'

/**
 * Stops a preview as an administrator, who need not be a participant. Like every stop, it is recorded as an action.
 * @returns the preview: ended, or `stopping` where its host takes longer
 * @throws GateError `not_found`, `conflict` where it has ended or is already stopping
 */
export async function stopPreviewAsAdmin(
  deps: Deps,
  { account, session }: Pick<AdminContext, 'account' | 'session'>,
  previewId: string,
): Promise<PreviewRow> {
  const found = await readPreviewAsAdmin(deps, account, previewId)
  const row = adminStopRow({
    conversationId: found.conversation_id,
    previewId,
    ...(await starterOf(deps, found)),
  })
  const { outcome, preview } = await stopRow(deps.db, { account, previewId, row, by: { session } })
  if (outcome !== 'asked') throw new GateError('conflict', 'This preview has already ended or is stopping.')
  return awaitStopped({ deps, account }, preview)
}

/** The current state of a preview: one whose host is lost has ended. @throws GateError `not_found` */
export async function readPreviewAsAdmin(
  deps: Deps,
  account: string,
  previewId: string,
): Promise<PreviewRow> {
  const found = previewIdForm.test(previewId) ? await readSettled(deps, account, previewId) : undefined
  if (!found) throw new GateError('not_found', 'Preview not found in this account.')
  return found
}

/** The member of the action: who started the preview, under their name at that time, with their current tier. */
async function starterOf(deps: Deps, { account_id: account, action_id: id }: PreviewRow) {
  const started = await readAction(deps.db, account, id)
  if (!started?.member_id) throw new Error(`the row ${id} that started a preview is gone`)
  const { member_id: memberId, member, tier_at_request: tierThen } = started
  const facts = await readFacts(deps.db, account, { memberId })
  const now = facts?.members[0]
  return { memberId, member, tier: facts && now ? standingOf(deps, facts, now).tier : tierThen }
}

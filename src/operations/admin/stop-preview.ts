import { readAction } from '../../db/queries/actions/actions.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import { type PreviewRow, stopPreview as stopRow } from '../../db/queries/previews/previews.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { previewIdForm } from '../../previews/label.ts'
import { awaitStopped } from '../previews/await-stopped.ts'
import { standingOf } from '../proposals/evaluate-clearance.ts'
import { readSettled } from '../previews/preview-access.ts'
import { adminStopRow } from '../previews/preview-row.ts'
import type { AdminContext } from './context.ts'

/**
 * Stops a preview as an administrator, who need not take part in its conversation. It leaves a row like every stop.
 * @returns the preview: ended, or `stopping` where its host takes longer
 * @throws GateError `not_found` where the account has no such preview, `conflict` where it has ended, or is to, already
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
  if (outcome !== 'asked') throw new GateError('conflict', 'This preview has ended, or is ending, already.')
  return awaitStopped({ deps, account, signal: undefined }, preview)
}

/** A preview of an account as it stands: one whose host is lost has ended. @throws GateError `not_found` */
export async function readPreviewAsAdmin(
  deps: Deps,
  account: string,
  previewId: string,
): Promise<PreviewRow> {
  const found = previewIdForm.test(previewId) ? await readSettled(deps, account, previewId) : undefined
  if (!found) throw new GateError('not_found', 'There is no such preview in this account.')
  return found
}

/** Whom the row is about: the member who started it, as they were called then, with their tier of now. */
async function starterOf(deps: Deps, { account_id: account, action_id: id }: PreviewRow) {
  const started = await readAction(deps.db, account, id)
  if (!started?.member_id) throw new Error(`the row ${id} that started a preview is gone`)
  const { member_id: memberId, member, tier_at_request: tierThen } = started
  const facts = await readFacts(deps.db, account, { memberId })
  const now = facts?.members[0]
  return { memberId, member, tier: facts && now ? standingOf(deps, facts, now).tier : tierThen }
}

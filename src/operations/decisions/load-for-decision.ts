import { type ActionRow, readAction, readUsedKey } from '../../db/queries/actions/actions.ts'
import { requireKeyNow } from '../authenticate.ts'
import { type IdempotentRequest, keyReused } from '../idempotency.ts'
import { findActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { isOpen } from '../actions/action-view.ts'
import { actionNotFound, isOfKeyMember } from '../actions/action-not-found.ts'
import { isOfKind } from '../require-key-kind.ts'
import type { Actor } from '../schemas.ts'
import type { OpenProposal } from '../clearance/claim-confirm.ts'
import { type RefusalReason, refuseDecision } from '../clearance/refusal.ts'

/** A confirm or a cancel as an agent asks for it. */
export interface DecisionRequest {
  decision: 'confirm' | 'cancel'
  id: number
  actor: Actor
  idempotency: IdempotentRequest | null
}

export type LoadedDecision = { isReplay: true; row: ActionRow } | ({ isReplay: false } & OpenProposal)

/**
 * Reads what a confirm or cancel is about, and checks in the order of the contract: the row exists (404), the actor is its
 * proposer (403), it is open (409). For a key that is bound to members, an action of another one does not exist. A repeat under
 * its Idempotency-Key skips the checks once the row is decided. A confirm that only had the member asked has no answer to repeat
 * while the row is open, and is checked like any other.
 * @throws GateError `not_found`, `not_proposer`, `forbidden`, `conflict`, `invalid`; a refusal leaves its entry
 */
export async function loadForDecision(
  context: CallContext,
  request: DecisionRequest,
): Promise<LoadedDecision> {
  const { db } = context.deps
  const { decision, id, actor, idempotency } = request
  const [row, used, { facts, member }] = await Promise.all([
    readAction(db, context.account, id),
    idempotency ? readUsedKey(db, context.account, decision, idempotency.key) : undefined,
    findActingMember(context, actor),
  ])
  if (!row) throw actionNotFound(id)
  const refuse = (reason: RefusalReason) =>
    refuseDecision(context, row, { decision, reason, actor: member?.memberId ?? 'unknown' })

  if (!isOfKeyMember(context, row)) {
    await refuse('not_proposer')
    throw actionNotFound(id)
  }
  if (!isOfKind(context, row.kind)) throw await refuse('other_kind')
  if (used && !used.request.equals(idempotency!.request)) throw keyReused()
  if (used && !isOpen(row)) {
    await requireKeyNow(context)
    return { isReplay: true, row }
  }
  if (!member || member.memberId !== row.member_id) throw await refuse('not_proposer')
  if (!isOpen(row)) throw await refuse('not_open')
  // The decision will close it.
  if (row.expires_at! <= facts.now) await requireKeyNow(context)
  return { isReplay: false, row, facts, member }
}

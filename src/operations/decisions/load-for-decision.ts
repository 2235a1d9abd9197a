import { type ActionRow, readAction, readUsedKey } from '../../db/queries/actions/actions.ts'
import type { Facts, MemberFacts } from '../../db/queries/members/facts.ts'
import { GateError } from '../../errors.ts'
import { isOpen } from '../proposals/action-view.ts'
import { lookUp } from '../members/actor.ts'
import { type IdempotentRequest, keyReused } from '../idempotency.ts'
import type { CallContext } from '../operation.ts'
import { refuseDecision } from './refusal.ts'
import { isOfKind, otherKind } from '../require-key-kind.ts'
import type { Actor } from '../schemas.ts'

export type LoadedDecision =
  | { isReplay: true; row: ActionRow }
  | { isReplay: false; row: ActionRow; facts: Facts; member: MemberFacts }

/**
 * Reads what a confirm or cancel is about, and checks in the contract's order: the row exists (404), the actor is its
 * proposer (403), it is open (409). A repeat under its Idempotency-Key skips the checks where it has its answer: one that
 * had the member asked has none while the row is open, and is checked like any other.
 */
export async function loadForDecision(
  context: CallContext,
  decision: 'confirm' | 'cancel',
  id: number,
  actor: Actor,
  idempotency: IdempotentRequest | null,
): Promise<LoadedDecision> {
  const { db } = context.deps
  const [row, used, { facts, member }] = await Promise.all([
    readAction(db, context.account, id),
    idempotency ? readUsedKey(db, context.account, decision, idempotency.key) : undefined,
    lookUp(context, actor),
  ])
  if (!row) throw new GateError('not_found', `There is no action ${id} in this account.`)
  if (context.actors !== null && !(member && context.actors.includes(member.memberId))) {
    throw await refuseDecision(context, row, decision, 'not_proposer', member?.memberId ?? 'unknown')
  }
  if (!isOfKind(context, row.kind)) {
    await refuseDecision(context, row, decision, 'other_kind', member?.memberId ?? 'unknown')
    throw otherKind(context, row.kind)
  }
  if (used && !used.request.equals(idempotency!.request)) throw keyReused()
  if (used && !isOpen(row)) return { isReplay: true, row }
  if (!member || member.memberId !== row.member_id) {
    throw await refuseDecision(context, row, decision, 'not_proposer', member?.memberId ?? 'unknown')
  }
  if (!isOpen(row)) {
    throw await refuseDecision(context, row, decision, 'not_open', member.memberId)
  }
  return { isReplay: false, row, facts, member }
}

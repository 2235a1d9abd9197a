import { cardHash } from '../../consent/card.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import type { SignedByPasskey } from '../../db/queries/actions/decide.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type ShownAction, notVisible, show } from '../actions/shown-action.ts'
import { waitToShow } from '../actions/wait-for-execution.ts'
import { isAwaitingApprovals } from '../approvers/tally.ts'
import { approvalOf } from '../consent/approval-state.ts'
import { cardOfRow } from '../consent/card-of-row.ts'
import { passkeyToDecide } from '../decisions/ask-passkey.ts'
import { decideAsMember } from '../decisions/decide-as-member.ts'
import {
  type DecidableCard,
  type ShownProposal,
  isNamedForGlassHere,
  readProposal,
} from '../decisions/decide-in-console.ts'
import type { Session } from '../sign-in/session.ts'

/** An action that waits for approvals, for a member who may execute it alone. */
export interface GlassProposal extends ShownAction, Pick<ShownProposal, 'approval'> {
  open: DecidableCard
  reviewWithinHours: number
}

/** The action for its page; undefined for a member who is not named, and where it waits for no approvals. */
export async function readGlassProposal(
  deps: Deps,
  session: Session,
  id: number,
): Promise<GlassProposal | undefined> {
  const row = await readAction(deps.db, session.account, id)
  if (!row || !isAwaitingApprovals(row) || !(await isNamedForGlassHere(deps, session, row))) return undefined
  const card = await cardOfRow(deps, row)
  return {
    ...(await show(deps, session, row)),
    approval: await approvalOf(deps, row, session.memberId),
    open: {
      card,
      shown: cardHash(card).toString('hex'),
      digest: row.digest!,
      fields: [],
      passkey: await passkeyToDecide(deps, row, card, session.memberId!),
    },
    reviewWithinHours: row.approval_rule.break_glass!.review_within_hours,
  }
}

/**
 * Executes an action in place of those who must approve it, as a member whom its rule names: with their passkey and a reason. The others
 * are told, and one of them reviews it.
 * @throws GateError as `decideAsMember`, with an entry in the ledger; `not_found`
 */
export async function breakGlass(
  deps: Deps,
  session: Session,
  id: number,
  given: { shown: string; digest: string; reason: string | undefined; passkey: SignedByPasskey | undefined },
): Promise<ActionRow> {
  const { account, memberId } = session
  if (memberId === null) throw notVisible(id)
  const row = await decideAsMember(deps, {
    account,
    id,
    memberId,
    does: 'confirm',
    breaksGlass: true,
    strength: 'page',
    channel: 'console',
    credential: { session: session.tokenHash },
    shown: Buffer.from(given.shown, 'hex'),
    digest: given.digest,
    declineReason: given.reason,
    passkey: given.passkey,
  }).catch(async (error: unknown) => {
    // Who cannot see it learns nothing of it.
    if (error instanceof GateError && error.code === 'not_proposer') await readProposal(deps, session, id)
    throw error
  })
  return waitToShow(deps, row)
}

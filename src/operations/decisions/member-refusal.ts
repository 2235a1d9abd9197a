import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import { type ErrorCode, GateError } from '../../errors.ts'
import type { MemberDecision } from './decide-as-member.ts'
import { type RefusalReason, type Refused, recordRefusal } from './refusal.ts'

/** Writes down that a member's own decision was refused, and gives the error to throw, with a sentence for a person. */
export async function refuseMember(
  deps: Deps,
  row: ActionRow,
  { does, memberId: actor, channel: source, reason, sentence }: MemberRefusal,
): Promise<GateError> {
  const decision = does === 'confirm' ? 'confirm' : 'cancel'
  await recordRefusal(deps, row, { decision, reason, actor, source })
  // Whoever was faster has left the row in a state that says more.
  const now = reason === 'not_open' ? await readAction(deps.db, row.account_id, row.id) : undefined
  return memberError(reason, now ?? row, sentence)
}

type MemberRefusal = Pick<Refused, 'reason' | 'sentence'> &
  Pick<MemberDecision, 'does' | 'memberId' | 'channel'>

/** What a person is told who cannot decide about a row. Pure. */
export function memberError(
  reason: RefusalReason,
  row: ActionRow,
  sentence = sentenceOf[reason]?.(row) ?? stateOf(row),
): GateError {
  return new GateError(codeOf[reason] ?? 'gone', sentence)
}

/** Where nothing is said, it is over. */
const codeOf: Partial<Record<RefusalReason, ErrorCode>> = {
  not_proposer: 'not_proposer',
  suspended: 'conflict',
  by_link: 'conflict',
  digest: 'conflict',
  card: 'conflict',
  too_weak: 'conflict',
  unsettled_identity: 'conflict',
  foreign_form: 'forbidden',
}

const sentenceOf: Partial<Record<RefusalReason, (row: ActionRow) => string>> = {
  not_proposer: () => 'Only the member for whom this was proposed can decide about it.',
  expired: () => 'This request has expired. Nothing was done; the agent can propose it again.',
  suspended: () => 'This account is suspended: nothing is executed until an admin resumes it.',
  by_link: () => 'This is decided on the page of its own link.',
  digest: () => 'This is not what you were shown. Open it again and look anew.',
  card: () => 'What is shown has changed since the page was opened. Look at it again, then decide.',
  inactive: () => 'You are no longer a member of this account. Nothing was done.',
  identity: () => 'This request was sent to an address that is not yours here any more. Nothing was done.',
  too_weak: ({ kind }) =>
    `By now the policy asks for a stronger consent to a ${kind}: let the agent confirm again, and you are asked anew.`,
  foreign_form: () => 'This form was sent from another site. Open the link itself.',
}

/** What has become of a row that cannot be decided about any more. Pure. */
export function stateOf({
  status,
  decision,
  closed_reason: closed,
  denial_reason: denial,
}: Pick<ActionRow, 'status' | 'decision' | 'closed_reason' | 'denial_reason'>): string {
  if (status === 'executed') return 'This was approved before, and it is done.'
  if (decision === 'confirm' && status === 'proposed') return 'This was approved before, and is being done.'
  if (status === 'denied') return `This was denied: ${denial}.`
  if (closed === 'expired') return 'This request has expired. Nothing was done.'
  if (closed === 'refused') return 'This was approved before, and the provider refused it. Nothing was done.'
  return closed === 'admin'
    ? 'An admin has cancelled this. Nothing was done.'
    : 'This was declined or cancelled before. Nothing was done.'
}

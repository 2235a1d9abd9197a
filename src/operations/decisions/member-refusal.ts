import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import { type ErrorCode, GateError, LinkGone } from '../../errors.ts'
import type { MemberDecision } from './decide-as-member.ts'
import { type RefusalReason, type Refused, recordRefusal } from '../clearance/refusal.ts'

/** Records that a member's own decision was refused, and returns the error to throw, with a sentence for the member. */
export async function refuseMember(
  deps: Deps,
  row: ActionRow,
  { does, memberId: actor, channel: source, reason, sentence }: MemberRefusal,
): Promise<GateError> {
  const decision = does === 'confirm' ? 'confirm' : 'cancel'
  await recordRefusal(deps, row, { decision, reason, actor, source })
  // Another decision came first: the row now says which.
  const now = reason === 'not_open' ? await readAction(deps.db, row.account_id, row.id) : undefined
  return memberError(reason, now ?? row, sentence)
}

type MemberRefusal = Pick<Refused, 'reason' | 'sentence'> &
  Pick<MemberDecision, 'does' | 'memberId' | 'channel'>

/** The error for a person who cannot decide about an action. Pure. */
export function memberError(
  reason: RefusalReason,
  row: ActionRow,
  sentence = sentenceOf[reason]?.(row) ?? stateOf(row),
): GateError {
  const code = codeOf[reason]
  return code === undefined ? new LinkGone(goneHow(reason, row), sentence) : new GateError(code, sentence)
}

/** Why a request can no longer be decided, for the title of its page. */
function goneHow(reason: RefusalReason, row: Pick<ActionRow, 'closed_reason'>): LinkGone['how'] {
  if (reason === 'inactive' || reason === 'identity') return 'invalid'
  return reason === 'expired' || row.closed_reason === 'expired' ? 'expired' : 'decided'
}

/** Every other reason: `gone`. */
const codeOf: Partial<Record<RefusalReason, ErrorCode>> = {
  not_proposer: 'not_proposer',
  suspended: 'conflict',
  by_link: 'conflict',
  digest: 'conflict',
  card: 'conflict',
  edit: 'conflict',
  too_weak: 'conflict',
  unsettled_identity: 'conflict',
  not_approver: 'not_proposer',
  not_consented: 'conflict',
  too_early: 'conflict',
  no_reason: 'conflict',
  others_needed: 'conflict',
  passkey_unknown: 'conflict',
  passkey_invalid: 'conflict',
  passkey_used: 'conflict',
  passkey_counter: 'conflict',
  passkey_not_accepted: 'conflict',
  foreign_form: 'forbidden',
}

const sentenceOf: Partial<Record<RefusalReason, (row: ActionRow) => string>> = {
  not_proposer: () => 'Only the member this was proposed for can decide about it.',
  expired: () => 'This request has expired. Nothing was executed. The agent can propose it again.',
  suspended: () => 'This account is suspended. Nothing is executed until an administrator resumes it.',
  by_link: () => 'This is decided on its own page: open the link to connect the provider.',
  digest: () => 'This request changed after it was shown to you. Open it again and review it, then decide.',
  card: () => 'This request changed after you opened the page. Review it again, then decide.',
  edit: () => 'The policy does not allow this with your changes. The request stays open as it was.',
  inactive: () => 'You are no longer a member of this account. Nothing was executed.',
  identity: () =>
    'This request was sent to an address that is no longer yours in this account. Nothing was executed.',
  too_weak: ({ kind }) =>
    `The policy now requires stronger consent for a ${kind}. Ask the agent to confirm again: you then get a new request.`,
  not_approver: () => 'You are not one of those who can approve this. Nothing was decided.',
  not_consented: () =>
    'The member this is for has not consented to it as it is now. You can approve after that. Nothing was decided.',
  passkey_unknown: () =>
    'This passkey is not one of yours in this account. It may have been removed. Nothing was executed.',
  passkey_invalid: () =>
    'What your passkey signed is not this decision. Nothing was executed. Open the request again and decide once more.',
  passkey_used: () =>
    'What your passkey signed was sent before, or the page was open for too long. Open the request again and decide once more.',
  passkey_counter: () =>
    'The counter of this passkey went back: a copy of it may be in use. Nothing was executed. Remove it, and tell an administrator.',
  foreign_form: () => 'This form was sent from another website. Open the link directly.',
}

/** A denial as a sentence of its own. Pure. */
export const deniedSentence = (reason: string | null): string =>
  `This request was denied: ${reason?.replace(/\.$/, '')}.`

/** Says of an action that can no longer be decided how it ended. Pure. */
export function stateOf({
  status,
  decision,
  closed_reason: closed,
  denial_reason: denial,
}: Pick<ActionRow, 'status' | 'decision' | 'closed_reason' | 'denial_reason'>): string {
  if (status === 'executed') return 'This was already approved, and was executed.'
  if (decision === 'confirm' && status === 'proposed')
    return 'This was already approved, and is being executed.'
  if (status === 'denied') return deniedSentence(denial)
  if (closed === 'expired') return 'This request has expired. Nothing was executed.'
  if (closed === 'refused') return 'This was already approved, and was then refused. Nothing was executed.'
  return closedSentence[closed ?? ''] ?? 'This was already declined or cancelled. Nothing was executed.'
}

// `proposer` is also a member's own decline before it had a name of its own.
const closedSentence: Record<string, string> = {
  admin: 'An administrator cancelled this. Nothing was executed.',
  member_declined: 'You already declined this. Nothing was executed.',
  approver_declined: 'Somebody whose approval was needed declined this. Nothing was executed.',
}

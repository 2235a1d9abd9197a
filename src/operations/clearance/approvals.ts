import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Facts, MemberFacts } from '../../db/queries/members/facts.ts'
import { isStrongEnough, opensAt } from '../../gate/approvals/rule.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type ConsentStrength, carriedConsent, meetsFloor } from '../../gate/consent.ts'
import { type RuledRow, type Tally, isApproverIn } from '../approvers/tally.ts'
import type { EvaluatedClearance } from './evaluate-clearance.ts'
import { type Refused, refused } from './refusal.ts'

/** Why a member cannot approve now; undefined where they can, and nobody whom the tally has is asked again. */
export function whyNotApprover(
  row: RuledRow,
  { facts, voter, tally }: { facts: Pick<Facts, 'now'>; voter: MemberFacts; tally: Tally },
  given: { strength: ConsentStrength; reason: string | undefined },
): Refused | undefined {
  const { approval_rule: rule } = row
  if (tally.isTaken)
    return refused(
      'not_approver',
      'A deputy and the one they approve for count as one person, and one of them already approved this. Nothing was changed. You can still decline it.',
    )
  if (!isApproverIn(tally, voter.memberId)) return refused('not_approver')
  if (row.consented_at === null) return refused('not_consented')
  const from = opensAt(rule, row.created_at)
  if (from > facts.now)
    return refused('too_early', `Nobody can approve this before ${from.toISOString().slice(0, 16)}Z.`)
  if (!isStrongEnough(rule, given.strength))
    return refused(
      'too_weak',
      rule.min_strength === 'passkey'
        ? 'The policy asks for a passkey. Open the proposal in the console, and approve there with your passkey.'
        : 'The policy asks for a stronger approval. Open the proposal in the console, and approve there.',
    )
  if (rule.reason_required && !given.reason)
    return refused(
      'no_reason',
      'The policy asks approvers for a reason. Write why you approve, then approve.',
    )
  return undefined
}

/** They approved it as it is now, and others are still needed. */
export const isRepeat = (
  { approval_rule: rule }: RuledRow,
  { memberId }: MemberFacts,
  tally: Tally,
): boolean => tally.given.some(({ member_id: id }) => id === memberId) && tally.counted.length < rule.needed

/**
 * Whether nobody else must approve it because of what was confirmed since it was proposed. A policy that was changed since alters
 * nothing: it asks for its amount alone what it asks for now.
 */
export function isRuleKept(
  row: ActionRow,
  { cleared, alone }: Pick<Extract<EvaluatedClearance, { denial: null }>, 'cleared' | 'alone'>,
): boolean {
  const isSame = (one: unknown, other: unknown) =>
    canonical((one ?? null) as Json) === canonical((other ?? null) as Json)
  return (
    isSame(cleared.approvals, alone) ||
    isSame(cleared.approvals, row.approval_rule) ||
    (cleared.approvals?.needed ?? 0) <= (row.approval_rule?.needed ?? 0)
  )
}

/** Why no approval is taken beside a consent that the policy would no longer take from the member who acts. */
export const whyTooWeak = ({ ownStrength: own }: Tally, floor: ConsentStrength): Refused | undefined =>
  own === undefined || meetsFloor(carriedConsent(own, floor), floor)
    ? undefined
    : refused(
        'too_weak',
        'The policy now requires a stronger consent of the member who acts than they gave. Nothing was executed. It must be proposed again.',
      )

export const needsOthersNow =
  'With what was confirmed since this was proposed, the policy asks others to approve it, or more of them. Nothing was executed. Propose it again.'

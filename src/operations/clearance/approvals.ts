import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type ApprovalRow,
  readAgentOwners,
  readApprovals,
  readGroupsOf,
} from '../../db/queries/actions/approvals.ts'
import type { JudgedVoter } from '../../db/queries/actions/decide.ts'
import { type Facts, type MemberFacts, readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import {
  type ApprovalRule,
  type ApprovalSituation,
  isStrongEnough,
  mayApprove,
  opensAt,
} from '../../gate/approvals/rule.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import type { ConsentStrength } from '../../gate/consent.ts'
import { tierOf } from '../../gate/tier.ts'
import { approversAmong } from './approvers.ts'
import type { EvaluatedClearance } from './evaluate-clearance.ts'
import { type Refused, refused } from './refusal.ts'

/** An action that others must approve. */
export type RuledRow = ActionRow & { approval_rule: ApprovalRule; member_id: string }

export const isRuled = (row: ActionRow): row is RuledRow => (row.approval_rule ?? null) !== null

/** Whether the member consented, and others must still approve. */
export const isAwaitingApprovals = (row: ActionRow): row is RuledRow & { consented_at: Date } =>
  isRuled(row) && row.status === 'proposed' && row.decision === null && row.consented_at !== null

/** What the approvals of an action are judged by now. */
export async function situationOf(
  { db }: Pick<Deps, 'db'>,
  row: RuledRow,
  now: Date,
): Promise<ApprovalSituation> {
  const { account_id: account, approval_rule: rule, proposed_key: key } = row
  const ownerIds = key === null ? [] : await readAgentOwners(db, account, key)
  const barred = { proposerId: row.member_id, ownerIds }
  const isShort =
    rule.fallback !== undefined &&
    (await approversAmong(db, row, rule.from, { ...barred, limit: rule.needed })).length < rule.needed
  return { ...barred, isShort, consentedAt: row.consented_at, now }
}

/** The approvals of an action as it is now, of others than its member, each with whether it counts. */
export interface Tally {
  given: ApprovalRow[]
  voters: JudgedVoter[]
}

/**
 * Judges everybody who approved an action as it is now, and the one who approves. One whose member is gone or was demoted does not
 * count; the claim checks that nobody changed since.
 */
export async function tallyOf(
  deps: Pick<Deps, 'db'>,
  row: RuledRow,
  now: Date,
  voter?: MemberFacts,
): Promise<Tally> {
  const { db } = deps
  const all = await readApprovals(db, row.account_id, row.id)
  const given = all.filter(({ is_own: own, digest }) => !own && digest === row.digest)
  const ids = given.map(({ member_id: id }) => id).filter((id) => id !== voter?.memberId)
  const others = await Promise.all(ids.map((memberId) => readFacts(db, row.account_id, { memberId })))
  const known = [...others.flatMap((facts) => facts?.members ?? []), ...(voter ? [voter] : [])]
  const [groups, situation] = await Promise.all([
    readGroupsOf(
      db,
      row.account_id,
      known.map(({ memberId }) => memberId),
    ),
    situationOf(deps, row, now),
  ])
  const judged = known.map((member) => ({
    member: member.memberId,
    version: member.version,
    counts: mayApprove(
      row.approval_rule,
      { memberId: member.memberId, tier: tierOf(member, now), groups: groups.get(member.memberId) ?? [] },
      situation,
    ),
  }))
  const gone = ids.filter((id) => !known.some(({ memberId }) => memberId === id))
  return { given, voters: [...judged, ...gone.map((member) => ({ member, version: 0, counts: false }))] }
}

/** Why a member cannot approve now; undefined where they can, and nobody whom the tally has is asked again. */
export function whyNotApprover(
  row: RuledRow,
  { facts, voter, tally }: { facts: Pick<Facts, 'now'>; voter: MemberFacts; tally: Tally },
  given: { strength: ConsentStrength; reason: string | undefined },
): Refused | undefined {
  const { approval_rule: rule } = row
  if (!tally.voters.some(({ member, counts }) => member === voter.memberId && counts))
    return refused('not_approver')
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
): boolean =>
  tally.given.some(({ member_id: id }) => id === memberId) &&
  tally.voters.filter(({ counts }) => counts).length < rule.needed

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

export const needsOthersNow =
  'With what was confirmed since this was proposed, the policy asks others to approve it, or more of them. Nothing was executed. Propose it again.'

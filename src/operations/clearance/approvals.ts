import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type ApprovalRow,
  readAgentOwners,
  readApprovals,
  readGroupsOf,
} from '../../db/queries/actions/approvals.ts'
import type { JudgedVoter } from '../../db/queries/actions/decide.ts'
import { readSeatsOf } from '../../db/queries/members/delegations.ts'
import { type Facts, type MemberFacts, readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { distinctApprovals, mayApproveFor } from '../../gate/approvals/deputies.ts'
import {
  type ApprovalRule,
  type ApprovalSituation,
  isStrongEnough,
  mayApprove,
  opensAt,
} from '../../gate/approvals/rule.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type ConsentStrength, carriedConsent, meetsFloor } from '../../gate/consent.ts'
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
  /** Of its member's consent to it as it is now. */
  ownStrength: ConsentStrength | undefined
  /** How many of those that were given count. */
  counted: number
  /** The one who approves is an approver, but somebody approved for them, or they are the deputy of somebody who did. */
  isTaken: boolean
  /** The name of the one whose deputy they are. */
  forName: string | undefined
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
  const { account_id: account, approval_rule: rule, kind } = row
  const all = await readApprovals(db, account, row.id)
  const given = all.filter(({ is_own: own, digest }) => !own && digest === row.digest)
  const ids = given.map(({ member_id: id }) => id)
  const facts = await Promise.all(
    ids.filter((id) => id !== voter?.memberId).map((memberId) => readFacts(db, account, { memberId })),
  )
  const known = [...facts.flatMap((one) => one?.members ?? []), ...(voter ? [voter] : [])]
  const knownIds = known.map(({ memberId }) => memberId)
  const [groups, seats, situation] = await Promise.all([
    readGroupsOf(db, account, knownIds),
    readSeatsOf(db, account, { deputies: knownIds, kind }),
    situationOf(deps, row, now),
  ])
  const isOwnRight = (member: MemberFacts): boolean =>
    mayApprove(
      rule,
      { memberId: member.memberId, tier: tierOf(member, now), groups: groups.get(member.memberId) ?? [] },
      situation,
    )
  const seatsOf = (member: string) =>
    seats.filter((seat) => seat.deputy === member && mayApproveFor(rule, member, seat, situation))
  const judged = given.map(({ member_id: id, for_member: of }): JudgedVoter => {
    const member = known.find(({ memberId }) => memberId === id)
    if (!member) return { member: id, version: 0, counts: false }
    const isDeputy = of !== null && seatsOf(id).some(({ memberId }) => memberId === of)
    const counts = isDeputy || isOwnRight(member)
    return { member: id, version: member.version, counts, ...(isDeputy ? { for: of } : {}) }
  })
  const counting = distinctApprovals(judged.filter(({ counts }) => counts))
  const own = all.find(({ is_own: isOwn, digest }) => isOwn && digest === row.digest)
  const ownStrength = own?.strength as ConsentStrength | undefined
  const tally = {
    given,
    ownStrength,
    voters: judged,
    counted: counting.length,
    isTaken: false,
    forName: undefined,
  }
  if (!voter || ids.includes(voter.memberId)) return tally
  const { memberId: id, version } = voter
  const people = new Set(counting.flatMap((one) => [one.member, one.for ?? one.member]))
  const ofVoter = seatsOf(id)
  const [seat = ofVoter[0]] = ofVoter.filter(({ memberId }) => !people.has(memberId))
  const isOwn = isOwnRight(voter)
  const taken = [id, ...(isOwn || !seat ? [] : [seat.memberId])].some((person) => people.has(person))
  const counts = (isOwn || seat !== undefined) && !taken
  const judgedVoter: JudgedVoter = {
    member: id,
    version,
    counts,
    ...(isOwn || !seat ? {} : { for: seat.memberId }),
  }
  return {
    ...tally,
    voters: [...judged, judgedVoter],
    isTaken: (isOwn || seat !== undefined) && taken,
    forName: isOwn ? undefined : seat?.name,
  }
}

/** Whether somebody is an approver of an action, though perhaps another one approved for them. Pure. */
export const isApproverIn = ({ voters, isTaken }: Tally, memberId: string): boolean =>
  isTaken || voters.some(({ member, counts }) => member === memberId && counts)

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
): boolean => tally.given.some(({ member_id: id }) => id === memberId) && tally.counted < rule.needed

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

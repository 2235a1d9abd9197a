import { type ConsentStrength, meetsFloor } from '../consent.ts'
import { type Tier, reaches } from '../tier.ts'

/** Members by what they are: a tier or a higher one, a group, or by name. */
export type Approvers = { tier: Tier } | { group: string } | { members: string[] }

/**
 * Who must approve an action beside the member who acts. It is stored with the action when it is proposed.
 * @source docs/approvals.md#set-a-rule
 */
export interface ApprovalRule {
  /** How many people, 1 to 9. */
  needed: number
  from: Approvers
  /** Asked too where `from` has fewer people than are needed. */
  fallback?: Approvers | undefined
  /** The member who acts never counts. `agent_owner`: nor do the members that its API key or app is for. */
  distinct_from: ('proposer' | 'agent_owner')[]
  min_strength: ApprovalStrength
  reason_required?: boolean | undefined
  /** Minutes after the proposal before which nobody approves. */
  not_before_minutes?: number | undefined
  /** Minutes after the member's consent. */
  remind_after_minutes?: number | undefined
  escalate_after_minutes?: number | undefined
  /** Asked too from then on. Nothing that was approved is lost. */
  escalate_to?: Approvers | undefined
  /** Who executes it alone in an emergency, with a passkey and a reason. The others are told, and review it. Absent: nobody. */
  break_glass?: { members: string[]; review_within_hours: number } | undefined
}

/** What who breaks the glass writes at least. */
export const glassReasonCharsMin = 20

export const approvalStrengths = ['chat', 'page', 'passkey'] as const satisfies readonly ConsentStrength[]
export type ApprovalStrength = (typeof approvalStrengths)[number]

/** A member who may be an approver. */
export interface Candidate {
  memberId: string
  tier: Tier
  /** The ids of the groups that they are in. */
  groups: readonly string[]
}

/** What eligibility depends on beside the candidate. */
export interface ApprovalSituation {
  proposerId: string
  /** The members that the agent's API key or app is for. */
  ownerIds: readonly string[]
  /** `from` has fewer people than are needed. */
  isShort: boolean
  consentedAt: Date | null
  now: Date
}

const isOf = (approvers: Approvers, candidate: Candidate): boolean =>
  'tier' in approvers ? reaches(candidate.tier, approvers.tier) : isNamed(approvers, candidate)

/** Whether a member is named, or in the group that is named. Pure. */
export const isNamed = (
  approvers: Approvers,
  { memberId, groups }: Pick<Candidate, 'memberId' | 'groups'>,
): boolean => {
  if ('tier' in approvers) return false
  return 'group' in approvers ? groups.includes(approvers.group) : approvers.members.includes(memberId)
}

const minuteMs = 60_000

/** When others are asked too; null: never, or the member has not consented. Pure. */
export const escalatesAt = (
  { escalate_after_minutes: after, escalate_to: to }: ApprovalRule,
  consentedAt: Date | null,
): Date | null =>
  to && after !== undefined && consentedAt ? new Date(consentedAt.getTime() + after * minuteMs) : null

/** From when on others may approve. Pure. */
export const opensAt = ({ not_before_minutes: after = 0 }: ApprovalRule, createdAt: Date): Date =>
  new Date(createdAt.getTime() + after * minuteMs)

/** Whose approvals count now: `from`, with the fallback and who it was escalated to. Pure. */
export function sourcesNow(
  rule: ApprovalRule,
  { isShort, consentedAt, now }: Pick<ApprovalSituation, 'isShort' | 'consentedAt' | 'now'>,
): Approvers[] {
  const at = escalatesAt(rule, consentedAt)
  return [
    rule.from,
    ...(isShort && rule.fallback ? [rule.fallback] : []),
    ...(at && at <= now && rule.escalate_to ? [rule.escalate_to] : []),
  ]
}

/** Whether a member is kept from approving, whatever the rule names. Pure. */
export const isBarred = (
  { distinct_from: distinct }: ApprovalRule,
  memberId: string,
  { proposerId, ownerIds }: Pick<ApprovalSituation, 'proposerId' | 'ownerIds'>,
): boolean => memberId === proposerId || (distinct.includes('agent_owner') && ownerIds.includes(memberId))

/** Whether the approval of a member counts now. Pure. */
export const mayApprove = (rule: ApprovalRule, candidate: Candidate, situation: ApprovalSituation): boolean =>
  !isBarred(rule, candidate.memberId, situation) &&
  sourcesNow(rule, situation).some((approvers) => isOf(approvers, candidate))

/** Whether a member may execute it in place of the approvers. Pure. */
export const mayBreakGlass = (
  rule: ApprovalRule,
  memberId: string,
  barred: Pick<ApprovalSituation, 'proposerId' | 'ownerIds'>,
): boolean => (rule.break_glass?.members.includes(memberId) ?? false) && !isBarred(rule, memberId, barred)

export const isStrongEnough = (rule: ApprovalRule, strength: ConsentStrength): boolean =>
  meetsFloor(strength, rule.min_strength)

/** Of two rules that both apply, the one that needs more people; of equals the first. Pure. */
export const moreApprovals = (
  one: ApprovalRule | undefined,
  other: ApprovalRule | undefined,
): ApprovalRule | undefined => ((other?.needed ?? 0) > (one?.needed ?? 0) ? other : one)

/** The groups that a rule names. Pure. */
export const groupsOf = ({ from, fallback, escalate_to: to }: ApprovalRule): string[] =>
  [from, fallback, to].flatMap((approvers) => (approvers && 'group' in approvers ? [approvers.group] : []))

/**
 * Approvers in words: `members with the tier write`.
 * @param nameOf  the name of a group; absent: its id
 */
export function approversWords(approvers: Approvers, nameOf?: (group: string) => string | undefined): string {
  if ('tier' in approvers) return `members with the tier ${approvers.tier} or a higher one`
  if ('group' in approvers) return `the group ${nameOf?.(approvers.group) ?? approvers.group}`
  return approvers.members.length === 1 ? 'one named member' : `${approvers.members.length} named members`
}

/** A rule in words, for people who read a policy: one line for each part. Pure. */
export function ruleWords(rule: ApprovalRule, nameOf?: (group: string) => string | undefined): string[] {
  const { needed, from, fallback, escalate_to: to } = rule
  const words = (approvers: Approvers) => approversWords(approvers, nameOf)
  const after = (minutes: number) => minutesWords(minutes)
  return [
    `${needed} ${needed === 1 ? 'approval' : 'approvals'} of ${words(from)}, beside the member's own consent`,
    ...(fallback ? [`if these are too few, also of ${words(fallback)}`] : []),
    ...(rule.distinct_from.includes('agent_owner') ? ['not of members that the agent acts for'] : []),
    `each with ${rule.min_strength} or stronger${rule.reason_required ? ', and with a reason' : ''}`,
    ...(rule.not_before_minutes ? [`not before ${after(rule.not_before_minutes)} have passed`] : []),
    ...(rule.remind_after_minutes ? [`reminded after ${after(rule.remind_after_minutes)}`] : []),
    ...(to && rule.escalate_after_minutes
      ? [`after ${after(rule.escalate_after_minutes)} also of ${words(to)}`]
      : []),
    ...(rule.break_glass
      ? [
          `in an emergency, ${approversWords(rule.break_glass)} can execute it alone, with a passkey; reviewed within ${counted(rule.break_glass.review_within_hours, 'hour')}`,
        ]
      : []),
  ]
}

export const minutesWords = (minutes: number): string =>
  minutes % 60 === 0 ? counted(minutes / 60, 'hour') : counted(minutes, 'minute')

const counted = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? '' : 's'}`

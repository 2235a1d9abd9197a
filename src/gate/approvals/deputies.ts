import {
  type ApprovalRule,
  type ApprovalSituation,
  type Candidate,
  isBarred,
  isNamed,
  sourcesNow,
} from './rule.ts'

/**
 * Whether the approval of a deputy counts for somebody now. Both must be free to approve. A tier is earned: nobody has it as a deputy. The
 * one they approve for is an approver themselves: a deputy of a deputy has nothing. Pure.
 */
export const mayApproveFor = (
  rule: ApprovalRule,
  deputyId: string,
  approver: Pick<Candidate, 'memberId' | 'groups'>,
  situation: ApprovalSituation,
): boolean =>
  ![deputyId, approver.memberId].some((memberId) => isBarred(rule, memberId, situation)) &&
  sourcesNow(rule, situation).some((source) => isNamed(source, approver))

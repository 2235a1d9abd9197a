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

/** An approval, and for whom a deputy gave it. */
export interface GivenApproval {
  member: string
  for?: string | undefined
}

/**
 * Those of some approvals, in their order, that count as people: of a deputy and the one they approve for, whoever came first counts, for
 * both. Pure.
 */
export function distinctApprovals<One extends GivenApproval>(given: readonly One[]): One[] {
  const people = new Set<string>()
  return given.filter((one) => {
    const both = [one.member, one.for ?? one.member]
    if (both.some((person) => people.has(person))) return false
    for (const person of both) people.add(person)
    return true
  })
}

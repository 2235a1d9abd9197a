import type { ApprovalState } from '../../consent/approvals.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { type ApprovalRow, readGroupNames } from '../../db/queries/actions/approvals.ts'
import { readCardNames } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { approversWords, groupsOf, opensAt } from '../../gate/approvals/rule.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import { isRuled, tallyOf } from '../approvers/tally.ts'
import { isRepeat } from '../clearance/approvals.ts'

/** The approvals that an open action needs; undefined where it needs none. `memberId`: who looks. */
export async function approvalOf(
  deps: Pick<Deps, 'db'>,
  row: ActionRow,
  memberId: string | null,
): Promise<ApprovalState | undefined> {
  if (!isRuled(row)) return undefined
  const { account_id: account, approval_rule: rule } = row
  const isOwn = memberId === row.member_id
  const [facts, names, people] = await Promise.all([
    readFacts(deps.db, account, { memberId: memberId ?? row.member_id }),
    readGroupNames(deps.db, account, groupsOf(rule)),
    readCardNames(deps.db, account, row.id),
  ])
  const voter = memberId === null || isOwn ? undefined : facts?.members[0]
  const tally = await tallyOf(deps, row, facts?.now ?? new Date(), voter)
  return {
    memberName: people?.member_name ?? row.member,
    needed: rule.needed,
    approved: tally.counted.map(nameOf),
    lapsed: tally.given.filter((one) => !tally.counted.includes(one)).map(nameOf),
    consentedAt: row.consented_at,
    from: approversWords(rule.from, (id) => names.get(id)),
    opensAt: rule.not_before_minutes === undefined ? null : opensAt(rule, row.created_at),
    expiresAt: row.expires_at!,
    isReasonRequired: rule.reason_required === true,
    isOwn,
    isGiven: tally.counted.some(({ member_id: id }) => id === memberId),
    // For whom they would approve, as a deputy, and whether they count already.
    deputyOf: tally.forName,
    isCounted: tally.isTaken || (voter !== undefined && isRepeat(row, voter, tally)),
  }
}

const nameOf = ({ name, for_name: of }: ApprovalRow): string => (of === null ? name : `${name} for ${of}`)

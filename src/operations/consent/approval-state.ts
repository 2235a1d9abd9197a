import type { ApprovalState } from '../../consent/approvals.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readApprovals, readGroupNames } from '../../db/queries/actions/approvals.ts'
import { readCardNames } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { approversWords, groupsOf, opensAt } from '../../gate/approvals/rule.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import { type RuledRow, isRepeat, isRuled, tallyOf } from '../clearance/approvals.ts'

/** The approvals that an open action needs; undefined where it needs none. */
export async function approvalOf(
  { db }: Pick<Deps, 'db'>,
  row: ActionRow,
  memberId: string | null,
): Promise<ApprovalState | undefined> {
  if (!isRuled(row)) return undefined
  const { account_id: account, approval_rule: rule } = row
  const [all, names, people] = await Promise.all([
    readApprovals(db, account, row.id),
    readGroupNames(db, account, groupsOf(rule)),
    readCardNames(db, account, row.id),
  ])
  const given = all.filter(({ is_own: own, digest }) => !own && digest === row.digest)
  const opens = opensAt(rule, row.created_at)
  return {
    memberName: people?.member_name ?? row.member,
    needed: rule.needed,
    approved: given.map(({ name, for_name: of }) => (of === null ? name : `${name} for ${of}`)),
    consentedAt: row.consented_at,
    from: approversWords(rule.from, (id) => names.get(id)),
    opensAt: rule.not_before_minutes === undefined ? null : opens,
    expiresAt: row.expires_at!,
    isReasonRequired: rule.reason_required === true,
    isOwn: memberId === row.member_id,
    isGiven: given.some(({ member_id: id }) => id === memberId),
    ...(await voterState({ db }, row, memberId)),
  }
}

/** For whom somebody would approve, as their deputy, and whether they count already. */
async function voterState(
  deps: Pick<Deps, 'db'>,
  row: RuledRow,
  memberId: string | null,
): Promise<Pick<ApprovalState, 'deputyOf' | 'isCounted'>> {
  const nobody = { deputyOf: undefined, isCounted: false }
  if (memberId === null || memberId === row.member_id) return nobody
  const facts = await readFacts(deps.db, row.account_id, { memberId })
  const [member] = facts?.members ?? []
  if (!facts || !member) return nobody
  const tally = await tallyOf(deps, row, facts.now, member)
  return { deputyOf: tally.forName, isCounted: tally.isTaken || isRepeat(row, member, tally) }
}

import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { pageGroupMembers } from '../../db/queries/members/groups.ts'
import { findMember, pageMembers } from '../../db/queries/members/members.ts'
import type { MemberRow } from '../../db/queries/members/members.ts'
import type { Deps } from '../../deps.ts'
import type { Approvers } from '../../gate/approvals/rule.ts'
import { reaches, tierOf } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'

/** Members that approvers are looked for in; more are found where they sign in. */
const searchedMax = 10_000

/** The active members that a rule names, up to `limit`, without those who are barred. */
export async function approversAmong(
  db: Deps['db'],
  { account_id: account }: Pick<ActionRow, 'account_id'>,
  approvers: Approvers,
  { proposerId, ownerIds, limit }: { proposerId: string; ownerIds: readonly string[]; limit: number },
): Promise<MemberRow[]> {
  const found: MemberRow[] = []
  const take = (member: MemberRow | undefined) => {
    const isBarred = member?.memberId === proposerId || ownerIds.includes(member?.memberId ?? '')
    if (member?.isActive && !isBarred && found.length < limit) found.push(member)
  }
  if ('members' in approvers) {
    const named = await Promise.all(
      approvers.members.map((memberId) => findMember(db, account, { memberId })),
    )
    named.forEach(take)
    return found
  }
  for (let after = '', searched = 0; found.length < limit && searched < searchedMax;) {
    const page = { after, limitRows: limits.rowsPerRead }
    const members = await ('group' in approvers
      ? membersOfGroup(db, account, approvers.group, page)
      : pageMembers(db, account, page))
    for (const member of members)
      if ('group' in approvers || reaches(tierOf(member, member.now), approvers.tier)) take(member)
    if (members.length < page.limitRows) break
    searched += members.length
    after = members.at(-1)!.memberId
  }
  return found
}

async function membersOfGroup(
  db: Deps['db'],
  account: string,
  groupId: string,
  page: { after: string; limitRows: number },
): Promise<MemberRow[]> {
  const ids = await pageGroupMembers(db, account, { groupId, ...page })
  const active = ids
    .filter(({ is_active: is, counts_from: from }) => is && (from === null || from <= new Date()))
    .slice(0, limits.approversAskedMax)
  const members = await Promise.all(
    active.map(({ member_id: memberId }) => findMember(db, account, { memberId })),
  )
  return members.filter((one) => one !== undefined)
}

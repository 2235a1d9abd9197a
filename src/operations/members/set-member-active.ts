import { type MemberRow, updateMember as update } from '../../db/queries/members/members.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { readMember } from './read-member.ts'

/** Deactivates or activates a member: a deactivated one is neither actor nor recipient. Repeating it changes nothing. */
export async function setMemberActive(
  context: AdminContext,
  memberId: string,
  isActive: boolean,
): Promise<MemberRow> {
  const found = await readMember(context, memberId)
  if (found.isActive === isActive) return found
  const unchanged = { name: null, email: null, slack: null }
  await update(context.db, { ...writeOf(context), memberId, ...unchanged, isActive })
  return readMember(context, memberId)
}

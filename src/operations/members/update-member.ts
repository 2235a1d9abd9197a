import { type MemberRow, updateMember as update } from '../../db/queries/members/members.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { readMember } from './read-member.ts'

/** null keeps a field; an empty text removes an identity. */
export interface MemberChange {
  name: string | null
  email: string | null
  slack: string | null
  teams?: string | null
}

/** Changes name and identities. Without a change, nothing is written. */
export async function updateMember(
  context: AdminContext,
  memberId: string,
  change: MemberChange,
): Promise<MemberRow> {
  if (Object.values(change).some((given) => given !== null))
    await update(context.db, { ...writeOf(context), memberId, ...change, isActive: null })
  return readMember(context, memberId)
}

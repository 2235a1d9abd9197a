import { type MemberRow, setTier as set } from '../../db/queries/members/members.ts'
import type { Tier } from '../../gate/tier.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { readMember } from './read-member.ts'

/** Sets a member's tier, which overrides certifications, or removes the setting (null). */
export async function setMemberTier(
  context: AdminContext,
  memberId: string,
  tier: Tier | null,
): Promise<MemberRow> {
  await set(context.db, { ...writeOf(context), memberId, tier })
  return readMember(context, memberId)
}

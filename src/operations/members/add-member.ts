import { type NewIdentities, addMember as add } from '../../db/queries/members/members.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'

/** Adds a member. Without an identity, agents cannot act for them and nothing reaches them. @returns the member's id */
export async function addMember(
  context: AdminContext,
  given: { name: string } & NewIdentities,
): Promise<string> {
  const memberId = `mem_${randomBase62(16)}`
  await add(context.db, { ...writeOf(context), memberId, ...given })
  return memberId
}

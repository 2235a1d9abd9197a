import { type MemberRow, pageMembersByName } from '../../db/queries/members/members.ts'
import type { AccountContext } from '../admin-context.ts'

/** A page of the members whose name or e-mail contains a text, by name, after the member with the id `after`. */
export async function readMembersByName(
  { db, account }: AccountContext,
  page: { text: string | null; after: string | null; limitRows: number },
): Promise<MemberRow[]> {
  return pageMembersByName(db, account, page)
}

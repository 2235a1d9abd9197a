import { type MemberRow, pageMembers } from '../../db/queries/members/members.ts'
import type { AccountContext } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'
import { limits } from '../../limits.ts'

/** Every member, by name. @throws GateError `not_found` */
export async function readAllMembers({ db, account }: AccountContext): Promise<MemberRow[]> {
  await requireAccount(db, account)
  const members: MemberRow[] = []
  for (let after = ''; ; after = members.at(-1)!.memberId) {
    const page = await pageMembers(db, account, { after, limitRows: limits.rowsPerRead })
    members.push(...page)
    if (page.length < limits.rowsPerRead) break
  }
  return members.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

import type { Db } from '../../db/connect.ts'
import { type MemberRow, findMember } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import type { MemberName } from '../entered-fields.ts'
import { requireAccount } from '../require-account.ts'

/** The options that name a member: exactly one is given. */
export type MemberOptions = { account: string; email?: string | undefined; slack?: string | undefined }

/** The member an administrator names, active or not. @throws GateError `not_found` */
export async function requireMember(
  db: Db,
  { account, email, slack }: MemberOptions,
  param?: string,
): Promise<MemberRow> {
  const member = await findMember(db, account, email === undefined ? { slack: slack! } : { email })
  if (member) return member
  await requireAccount(db, account)
  throw new GateError('not_found', `No member of ${account} has the ${identityText(email, slack)}.`, {
    param,
  })
}

/** The ids of the named members, sorted, without duplicates. @throws GateError `not_found` */
export async function requireMemberIds(db: Db, account: string, names: MemberName[]): Promise<string[]> {
  const members = await Promise.all(names.map((name) => requireMember(db, { account, ...name }, 'members')))
  return [...new Set(members.map((member) => member.memberId))].toSorted()
}

function identityText(email: string | undefined, slack: string | undefined): string {
  return email === undefined ? `Slack identity ${slack}` : `e-mail ${email}`
}

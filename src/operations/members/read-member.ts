import { type MemberRow, findMember } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import type { AccountContext } from '../admin-context.ts'

export type { IdentityChange, MemberRow } from '../../db/queries/members/members.ts'

/** One member, active or not. @throws GateError `not_found` */
export async function readMember({ db, account }: AccountContext, memberId: string): Promise<MemberRow> {
  const member = await findMember(db, account, { memberId })
  if (!member) throw new GateError('not_found', `Member ${memberId} was not found in this account.`)
  return member
}

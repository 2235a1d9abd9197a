import {
  type MemberRow,
  addMember as add,
  findMember,
  pageMembers,
  pageMembersByName,
  setTier as set,
  updateMember as update,
} from '../../db/queries/members.ts'
import { GateError } from '../../errors.ts'
import { type Tier, type TierSource, standing } from '../../gate/tier.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { type AccountContext, type AdminContext, writeOf } from './context.ts'
import { requireAccount } from './found.ts'

export type { MemberRow }

/** Adds a member. Without an identity nobody can act for them and nothing reaches them. @returns the member's id */
export async function addMember(
  context: AdminContext,
  given: { name: string; email: string | null; slack: string | null },
): Promise<string> {
  const memberId = `mem_${randomBase62(16)}`
  await add(context.db, { ...writeOf(context), memberId, ...given })
  return memberId
}

/** One member, active or not. @throws GateError `not_found` */
export async function readMember({ db, account }: AccountContext, memberId: string): Promise<MemberRow> {
  const member = await findMember(db, account, { memberId })
  if (!member) throw new GateError('not_found', `There is no member ${memberId} in this account.`)
  return member
}

/** A page of the members whose name or e-mail holds a text, by name, after the one whose id is `after`. */
export async function readMembersByName(
  { db, account }: AccountContext,
  page: { text: string | null; after: string | null; limitRows: number },
): Promise<MemberRow[]> {
  return pageMembersByName(db, account, page)
}

/** Every member, by name. @throws GateError `not_found` where there is no such account */
export async function readAllMembers({ db, account }: AccountContext): Promise<MemberRow[]> {
  await requireAccount(db, account)
  const members: MemberRow[] = []
  for (let after = ''; ; after = members.at(-1)!.memberId) {
    const page = await pageMembers(db, account, { after, limitRows: membersPerRead })
    members.push(...page)
    if (page.length < membersPerRead) break
  }
  return members.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

const membersPerRead = 500

/** null leaves a field as it is; an empty text takes an identity away. */
export interface MemberChange {
  name: string | null
  email: string | null
  slack: string | null
}

/** Changes name and identities. Where nothing is to be changed, nothing is written. */
export async function updateMember(
  context: AdminContext,
  memberId: string,
  change: MemberChange,
): Promise<MemberRow> {
  if (Object.values(change).some((given) => given !== null))
    await update(context.db, { ...writeOf(context), memberId, ...change, isActive: null })
  return readMember(context, memberId)
}

/** Takes a member out, or back in: a deactivated one is no actor and no recipient. Twice changes nothing more. */
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

/** Sets a member's tier, which wins over certificates, or takes the setting away (null). */
export async function setMemberTier(
  context: AdminContext,
  memberId: string,
  tier: Tier | null,
): Promise<MemberRow> {
  await set(context.db, { ...writeOf(context), memberId, tier })
  return readMember(context, memberId)
}

/** A member as administrators see them, in the fields of the command line. */
export interface MemberView {
  member_id: string
  name: string
  email: string | null
  slack: string | null
  tier: Tier
  tier_source: TierSource
  active: boolean
}

export function viewMember(member: MemberRow): MemberView {
  const { tier, tierSource } = standing(member)
  return {
    member_id: member.memberId,
    name: member.name,
    email: member.email,
    slack: member.slack,
    tier,
    tier_source: tierSource,
    active: member.isActive,
  }
}

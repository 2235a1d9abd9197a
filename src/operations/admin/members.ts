import {
  type ConfirmOutcome,
  type IdentityChange,
  type MemberRow,
  addMember as add,
  confirmIdentity as confirm,
  findMember,
  pageMembers,
  pageMembersByName,
  setTier as set,
  updateMember as update,
} from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import type { ConsentChannel } from '../../gate/consent.ts'
import { type Tier, type TierSource, standing } from '../../gate/tier.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { type AccountContext, type AdminContext, writeOf } from './context.ts'
import { requireAccount } from '../require-account.ts'
import { limits } from '../../limits.ts'

export type { IdentityChange, MemberRow }

/** Adds a member. Without an identity, agents cannot act for them and nothing reaches them. @returns the member's id */
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
  if (!member) throw new GateError('not_found', `Member ${memberId} was not found in this account.`)
  return member
}

/** A page of the members whose name or e-mail contains a text, by name, after the member with the id `after`. */
export async function readMembersByName(
  { db, account }: AccountContext,
  page: { text: string | null; after: string | null; limitRows: number },
): Promise<MemberRow[]> {
  return pageMembersByName(db, account, page)
}

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

/** null keeps a field; an empty text removes an identity. */
export interface MemberChange {
  name: string | null
  email: string | null
  slack: string | null
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

/**
 * Confirms, as a second administrator, that a changed e-mail or Slack identity is the member's. Decisions through it
 * count in full from then on. The command line cannot confirm, because it does not know which person uses it.
 * @param changedAt  the time of the change that the administrator was shown
 * @throws GateError `forbidden` where this administrator may not confirm, `conflict` where there is no such change,
 * `not_found`
 */
export async function confirmIdentity(
  context: AdminContext,
  memberId: string,
  { via, changedAt }: { via: ConsentChannel; changedAt: Date },
): Promise<void> {
  await readMember(context, memberId)
  const outcome = await confirm(context.db, { ...writeOf(context), memberId, via, changedAt })
  if (outcome === 'confirmed' || outcome === 'confirmed_before') return
  const [code, sentence] = notConfirmed[outcome]
  throw new GateError(code, sentence)
}

const notConfirmed: Record<
  Exclude<ConfirmOutcome, 'confirmed' | 'confirmed_before'>,
  ['forbidden' | 'conflict', string]
> = {
  missing: ['conflict', 'There is no change to confirm. Nothing was changed.'],
  moved: [
    'conflict',
    'The identity was changed again since you opened this page. Check the new identity, then confirm it.',
  ],
  not_admin: ['forbidden', 'Only an administrator who is signed in to the console can confirm a change.'],
  same_admin: ['forbidden', 'You made this change. Another administrator must confirm it.'],
  unknown_changer: [
    'forbidden',
    'It is unknown who made this change, so it cannot be confirmed. It counts in full after the waiting time of the policy.',
  ],
  new_admin: [
    'forbidden',
    'You became an administrator after this change. An administrator from before the change must confirm it.',
  ],
  own_mailbox: ['forbidden', 'This is your own address. Another administrator must confirm it.'],
}

/** Sets a member's tier, which overrides certifications, or removes the setting (null). */
export async function setMemberTier(
  context: AdminContext,
  memberId: string,
  tier: Tier | null,
): Promise<MemberRow> {
  await set(context.db, { ...writeOf(context), memberId, tier })
  return readMember(context, memberId)
}

/** A member in the output of the command line. */
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

import * as stored from '../../db/queries/members/groups.ts'
import type { GroupMemberRow, GroupRow } from '../../db/queries/members/groups.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'

export type { GroupMemberRow, GroupRow } from '../../db/queries/members/groups.ts'

/** All groups of members, by name. @throws GateError `not_found` */
export async function listGroups({ db, account }: AccountContext): Promise<GroupRow[]> {
  await requireAccount(db, account)
  return stored.listGroups(db, account)
}

/** One group. @throws GateError `not_found` */
export async function readGroup(context: AccountContext, groupId: string): Promise<GroupRow> {
  const found = (await listGroups(context)).find(({ group_id: id }) => id === groupId)
  if (!found) throw noGroup(groupId)
  return found
}

/** A page of the members of a group, by id. Active or not. */
export async function readGroupMembers(
  { db, account }: AccountContext,
  page: { groupId: string; after: string; limitRows: number },
): Promise<GroupMemberRow[]> {
  return stored.pageGroupMembers(db, account, page)
}

/**
 * Creates an empty group.
 * @returns its id
 * @throws GateError `conflict` where there are too many; an error of the database where the name is in use
 */
export async function createGroup(context: AdminContext, name: string): Promise<string> {
  const groupId = `grp_${randomBase62(16)}`
  const write = { ...writeOf(context), groupId, name, groupsMax: limits.groupsMax }
  if ((await stored.createGroup(context.db, write)) === 'created') return groupId
  throw new GateError('conflict', `This account already has ${limits.groupsMax} groups. Remove one first.`)
}

/** Renames a group. @throws GateError `not_found`; an error of the database where the name is in use */
export async function renameGroup(context: AdminContext, groupId: string, name: string): Promise<void> {
  const outcome = await stored.renameGroup(context.db, { ...writeOf(context), groupId, name })
  if (outcome === 'missing') throw noGroup(groupId)
  if (outcome === 'of_directory') throw ofDirectory()
}

/** Removes a group with its memberships. @throws GateError `not_found`, `conflict` where the policy names it */
export async function removeGroup(context: AdminContext, groupId: string): Promise<void> {
  const outcome = await stored.removeGroup(context.db, { ...writeOf(context), groupId })
  if (outcome === 'missing') throw noGroup(groupId)
  if (outcome === 'of_directory') throw ofDirectory()
  if (outcome === 'named')
    throw new GateError('conflict', 'The policy in force names this group. Take it out of the policy first.')
}

/**
 * Adds members to a group and removes others. Repeating it changes nothing.
 * @returns whether anything changed
 * @throws GateError `invalid`, `not_found`, `conflict` where the group would have too many members
 */
export async function changeGroupMembers(
  context: AdminContext,
  groupId: string,
  { add = [], remove = [] }: { add?: string[]; remove?: string[] },
): Promise<boolean> {
  if (add.length + remove.length > limits.groupChangesMax)
    throw new GateError('invalid', `Name at most ${limits.groupChangesMax} members at once.`, {
      param: 'members',
    })
  const write = { ...writeOf(context), groupId, add, remove, membersMax: limits.groupMembersMax }
  const outcome = await stored.changeGroupMembers(context.db, write)
  if (outcome === 'missing') throw noGroup(groupId)
  if (outcome === 'of_directory') throw ofDirectory()
  if (outcome === 'too_many')
    throw new GateError('conflict', `A group has at most ${limits.groupMembersMax} members.`, {
      param: 'members',
    })
  return outcome === 'changed'
}

/** As long as the directory has a token. */
const ofDirectory = () =>
  new GateError(
    'conflict',
    'The directory of the company keeps this group. Change it there, or end the token of the directory first.',
  )

const noGroup = (groupId: string) =>
  new GateError('not_found', `Group ${groupId} was not found in this account.`)

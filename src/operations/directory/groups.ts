import {
  type DirectoryGroup,
  type GroupFilter,
  type GroupOutcome,
  type ListPage,
  listDirectoryGroups,
  putDirectoryGroup,
  readMembersOfGroups,
  removeDirectoryGroup,
} from '../../db/queries/members/directory.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { anyGroup } from './filters.ts'

export type { DirectoryGroup, GroupFilter } from '../../db/queries/members/directory.ts'

/** A page of the groups of the directory, by id, and how many there are in all. */
export const findGroups = ({ db, account }: AccountContext, filter: Partial<GroupFilter>, page: ListPage) =>
  listDirectoryGroups(db, account, { ...anyGroup, ...filter }, page)

/** The members of groups, by group. */
export const membersOf = ({ db, account }: AccountContext, groups: DirectoryGroup[]) =>
  readMembersOfGroups(
    db,
    account,
    groups.map(({ group_id: id }) => id),
  )

/** One group. @throws GateError `not_found` */
export async function readDirectoryGroup(context: AccountContext, id: string): Promise<DirectoryGroup> {
  const { rows } = await findGroups(context, { id }, { skipRows: 0, limitRows: 1 })
  if (!rows[0]) throw noGroup(id)
  return rows[0]
}

/** What the directory says of a group. Absent: it stays; an empty text removes it. */
export interface GivenGroup {
  externalId?: string | undefined
  name?: string | undefined
  /** `replace`: those of `add` are all. */
  members?: { replace: boolean; add: string[]; remove: string[] } | undefined
}

/**
 * Adds a group, or changes one, in one change. Who is put into it approves from when the account's settling time is over.
 * @param id  null: a new one
 * @throws GateError `not_found`, `invalid` where a member is not of the directory, `conflict`
 */
export async function putGroup(
  context: AdminContext,
  id: string | null,
  { externalId, name, members = { replace: false, add: [], remove: [] } }: GivenGroup,
): Promise<string> {
  const { outcome, group_id: groupId } = await putDirectoryGroup(context.db, writeOf(context), {
    group: id,
    newId: `grp_${randomBase62(16)}`,
    externalId: externalId ?? null,
    name: name ?? null,
    ...members,
    groupsMax: limits.groupsMax,
    membersMax: limits.groupMembersMax,
  })
  if (outcome === 'missing') throw noGroup(id!)
  if (outcome === 'no_member')
    throw new GateError('invalid', 'A member of the group is not a user of this directory.', {
      param: 'members',
    })
  const problem = problems[outcome]
  if (problem) throw new GateError('conflict', problem[0], { param: problem[1] })
  return groupId
}

const problems: Partial<Record<GroupOutcome, [sentence: string, param?: string]>> = {
  external_id: ['Another group has this externalId.', 'externalId'],
  name: ['Another group of this account has this displayName.', 'displayName'],
  too_many: [`This account already has ${limits.groupsMax} groups.`],
  too_many_members: [`A group has at most ${limits.groupMembersMax} members.`],
}

/** Removes a group. @throws GateError `not_found`, `conflict` where the policy names it */
export async function removeGroupOfDirectory(context: AdminContext, id: string): Promise<void> {
  const outcome = await removeDirectoryGroup(context.db, { ...writeOf(context), groupId: id })
  if (outcome === 'missing') throw noGroup(id)
  if (outcome === 'named')
    throw new GateError(
      'conflict',
      'The policy in force names this group as approvers. An administrator takes it out of the policy first.',
    )
}

const noGroup = (id: string) => new GateError('not_found', `Group ${id} was not found in this directory.`)

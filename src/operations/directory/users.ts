import {
  type DirectoryUser,
  type ListPage,
  type UserFilter,
  type UserOutcome,
  listDirectoryUsers,
  putDirectoryUser,
  removeDirectoryUser,
} from '../../db/queries/members/directory.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { anyUser } from './filters.ts'

export type { DirectoryUser, UserFilter } from '../../db/queries/members/directory.ts'

/** A page of the users of the directory, by id, and how many there are in all. */
export const findUsers = ({ db, account }: AccountContext, filter: Partial<UserFilter>, page: ListPage) =>
  listDirectoryUsers(db, account, { ...anyUser, ...filter }, page)

/** One user, active or not. @throws GateError `not_found` */
export async function readUser(context: AccountContext, id: string): Promise<DirectoryUser> {
  const { rows } = await findUsers(context, { id }, { skipRows: 0, limitRows: 1 })
  if (!rows[0]) throw noUser(id)
  return rows[0]
}

/** What the directory says of a user. Absent: it stays; an empty text removes it. */
export interface GivenUser {
  externalId?: string | undefined
  userName?: string | undefined
  name?: string | undefined
  email?: string | undefined
  isActive?: boolean | undefined
}

/**
 * Adds a user, or changes one. A new member has the tier of the policy, never one from the directory; a deactivation ends their rights.
 * @param id  null: a new one
 * @returns the id, and whether anything changed
 * @throws GateError `not_found`, `conflict` with the attribute that somebody else has: nobody is taken over
 */
export async function putUser(
  context: AdminContext,
  id: string | null,
  { externalId, userName, name, email, isActive }: GivenUser,
): Promise<string> {
  const { outcome, member } = await putDirectoryUser(context.db, writeOf(context), {
    member: id,
    newId: `mem_${randomBase62(16)}`,
    externalId: externalId ?? null,
    userName: userName ?? null,
    name: name ?? null,
    email: email ?? null,
    isActive: isActive ?? null,
    usersMax: limits.directoryUsersMax,
  })
  if (outcome === 'missing') throw noUser(id!)
  const problem = problems[outcome]
  if (problem) throw new GateError('conflict', problem[0], { param: problem[1] })
  return member
}

/** `param`: what must be unique. */
const problems: Partial<Record<UserOutcome, [sentence: string, param?: string]>> = {
  external_id: ['Another member has this externalId.', 'externalId'],
  user_name: ['Another user of the directory has this userName.', 'userName'],
  mailbox: [
    'Another member has this mailbox, and the directory does not manage them. An administrator can let it: in the console, under Company sign-in, Directory.',
    'emails',
  ],
  too_many: [`A directory manages at most ${limits.directoryUsersMax} members.`],
}

/** Deactivates a user whom the directory deleted, and lets them go. The member stays. @throws GateError `not_found` */
export async function removeUser(context: AdminContext, id: string): Promise<void> {
  if (!(await removeDirectoryUser(context.db, { ...writeOf(context), memberId: id }))) throw noUser(id)
}

const noUser = (id: string) => new GateError('not_found', `User ${id} was not found in this directory.`)

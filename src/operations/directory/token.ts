import {
  adoptMembers as adopt,
  endDirectoryTokens as end,
  makeDirectoryToken as store,
} from '../../db/queries/accounts/directory-token.ts'
import { listDirectoryGroups, listDirectoryUsers } from '../../db/queries/members/directory.ts'
import type { KeyRow } from '../../db/queries/accounts/keys.ts'
import { GateError } from '../../errors.ts'
import { allRights, directoryPower } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { readKeys } from '../keys/list-keys.ts'
import { viewKey } from '../keys/key-view.ts'
import { ifLost, newKey } from '../keys/new-key.ts'
import { requireMember } from '../members/require-member.ts'
import { anyGroup, anyUser } from './filters.ts'

/** How the directory of an account stands. */
export interface DirectoryState {
  /** Those in force: two while a rotation overlaps. */
  tokens: KeyRow[]
  users: number
  groups: number
}

/** The tokens of the directory that are in force, and what it manages. @throws GateError `not_found` */
export async function readDirectory(context: AccountContext): Promise<DirectoryState> {
  const { db, account } = context
  const none = { skipRows: 0, limitRows: 0 }
  const [keys, users, groups] = await Promise.all([
    readKeys(context),
    listDirectoryUsers(db, account, anyUser, none),
    listDirectoryGroups(db, account, anyGroup, none),
  ])
  return { tokens: keys.filter(isDirectoryToken), users: users.total, groups: groups.total }
}

const isDirectoryToken = (key: KeyRow): boolean =>
  key.powers.includes(directoryPower) && viewKey(key).state === 'in force'

/**
 * Makes the token of the directory. One that is in force goes on for `overlapHours`, so that the directory can be given the new one.
 * @param given.name  what entries call it; absent: as the one before, or `Directory`
 * @returns the token, shown once
 * @throws OutcomeUnknown where the answer was lost
 */
export async function makeDirectoryToken(
  context: AdminContext,
  {
    name,
    overlapHours = limits.keyOverlapHoursDefault,
  }: { name?: string | undefined; overlapHours?: number } = {},
): Promise<{ keyId: string; token: string; formerEndsAt: Date | null }> {
  const made = await newKey(context.account, { ...allRights, powers: [directoryPower] }, undefined)
  const { keyId, last4, hash } = made.stored
  const write = {
    ...writeOf(context),
    keyId,
    last4,
    hash,
    name: name ?? null,
    overlapMs: overlapHours * 3_600_000,
  }
  const formerEndsAt = await store(context.db, write).catch(
    ifLost(`key ${keyId}`, 'Make another token: it takes the place of this one.'),
  )
  return { keyId, token: made.apiKey, formerEndsAt }
}

/** Ends every token of the directory: it changes nothing more. Members and groups stay as they are. @throws GateError `not_found` */
export async function endDirectory(context: AdminContext): Promise<void> {
  if ((await end(context.db, writeOf(context))) === 0)
    throw new GateError('not_found', 'The directory of this account has no token.')
}

/**
 * Lets the directory manage members whom it did not add: it finds them by their mailbox, as their user name.
 * @param email  whom; absent: every active member with a mailbox
 * @returns how many it manages now that it did not before
 * @throws GateError `not_found`, `conflict`
 */
export async function adoptMembers(context: AdminContext, email?: string): Promise<number> {
  const { db, account } = context
  const members = email === undefined ? null : [(await requireMember(db, { account, email })).memberId]
  const adopted = await adopt(db, writeOf(context), { members, usersMax: limits.directoryUsersMax })
  if (adopted === null)
    throw new GateError('conflict', `A directory manages at most ${limits.directoryUsersMax} members.`)
  return adopted
}

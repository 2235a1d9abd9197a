import type { GroupFilter, UserFilter } from '../../db/queries/members/directory.ts'

/** Looks for anybody. */
export const anyUser: UserFilter = { id: null, externalId: null, userName: null, email: null, isActive: null }

/** Looks for any group. */
export const anyGroup: GroupFilter = { id: null, externalId: null, name: null, memberId: null }

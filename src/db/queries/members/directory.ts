import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** A member whom the company's directory manages. */
export interface DirectoryUser {
  member_id: string
  external_id: string | null
  user_name: string
  name: string
  email: string | null
  is_active: boolean
  created_at: Date
  changed_at: Date
}

/** A group that the directory made. */
export interface DirectoryGroup {
  group_id: string
  external_id: string | null
  name: string
  created_at: Date
}

/** What is looked for; null: anything. All of it must match, user names and mailboxes without regard to case. */
export interface UserFilter {
  id: string | null
  externalId: string | null
  userName: string | null
  email: string | null
  isActive: boolean | null
}

export interface GroupFilter {
  id: string | null
  externalId: string | null
  name: string | null
  memberId: string | null
}

export interface ListPage {
  skipRows: number
  limitRows: number
}

/** A page of the users of the directory, by id, and how many there are in all. */
export async function listDirectoryUsers(
  db: Db,
  account: string,
  { id, externalId, userName, email, isActive }: UserFilter,
  page: ListPage,
): Promise<{ total: number; rows: DirectoryUser[] }> {
  const found = await db.read<{ total: number; rows: (DirectoryUser & Times)[] }>(
    (sql) => sql`
      select f.* from gate.tenant(${account}) t(id),
      lateral (
        with found as (
          select m.member_id, d.external_id, d.user_name, m.name, m.email, m.is_active,
            m.created_at, greatest(d.changed_at, m.created_at) as changed_at
          from gate.directory_user d
          join gate.member m on m.account_id = d.account_id and m.member_id = d.member_id
          where d.account_id = t.id and d.left_at is null
            and (${id}::text is null or d.member_id = ${id})
            and (${externalId}::text is null or d.external_id = ${externalId})
            and (${userName}::text is null or lower(d.user_name) = lower(${userName}))
            and (${email}::text is null or lower(m.email) = lower(${email}))
            and (${isActive}::boolean is null or m.is_active = ${isActive})
        )
        select (select count(*)::int from found) as total, (
          select coalesce(json_agg(p), '[]') from (
            select * from found order by member_id offset ${page.skipRows} limit ${page.limitRows}
          ) p
        ) as rows
      ) f`,
  )
  return { total: found[0]?.total ?? 0, rows: (found[0]?.rows ?? []).map(withTimes) }
}

/** A page of the groups of the directory, by id, and how many there are in all. */
export async function listDirectoryGroups(
  db: Db,
  account: string,
  { id, externalId, name, memberId }: GroupFilter,
  page: ListPage,
): Promise<{ total: number; rows: DirectoryGroup[] }> {
  const found = await db.read<{ total: number; rows: (DirectoryGroup & { created_at: unknown })[] }>(
    (sql) => sql`
      select f.* from gate.tenant(${account}) t(id),
      lateral (
        with found as (
          select g.group_id, g.external_id, g.name, g.created_at from gate.member_group g
          where g.account_id = t.id and g.is_of_directory
            and (${id}::text is null or g.group_id = ${id})
            and (${externalId}::text is null or g.external_id = ${externalId})
            and (${name}::text is null or lower(g.name) = lower(${name}))
            and (${memberId}::text is null or exists (
              select from gate.group_membership m
              where m.account_id = t.id and m.group_id = g.group_id and m.member_id = ${memberId}))
        )
        select (select count(*)::int from found) as total, (
          select coalesce(json_agg(p), '[]') from (
            select * from found order by group_id offset ${page.skipRows} limit ${page.limitRows}
          ) p
        ) as rows
      ) f`,
  )
  return {
    total: found[0]?.total ?? 0,
    rows: (found[0]?.rows ?? []).map((row) => ({ ...row, created_at: new Date(String(row.created_at)) })),
  }
}

type Times = { created_at: unknown; changed_at: unknown }

const withTimes = (row: DirectoryUser & Times): DirectoryUser => ({
  ...row,
  created_at: new Date(String(row.created_at)),
  changed_at: new Date(String(row.changed_at)),
})

/** The members of groups, by group, each with their name. */
export async function readMembersOfGroups(
  db: Db,
  account: string,
  groups: string[],
): Promise<Map<string, { member_id: string; name: string }[]>> {
  const rows = await db.read<{ group_id: string; members: { member_id: string; name: string }[] }>(
    (sql) => sql`
      select g.* from gate.tenant(${account}) t(id),
      lateral (
        select m.group_id, json_agg(json_build_object('member_id', o.member_id, 'name', o.name) order by o.member_id) as members
        from gate.group_membership m
        join gate.member o on o.account_id = t.id and o.member_id = m.member_id
        where m.account_id = t.id and m.group_id = any(${groups}::text[])
        group by m.group_id
      ) g`,
  )
  return new Map(rows.map(({ group_id: id, members }) => [id, members]))
}

/** What the directory says of a user. null keeps it; an empty text removes it. */
export interface UserChange {
  /** null: a new one. */
  member: string | null
  newId: string
  externalId: string | null
  userName: string | null
  name: string | null
  email: string | null
  isActive: boolean | null
  usersMax: number
}

export type UserOutcome =
  | 'created'
  | 'changed'
  | 'unchanged'
  | 'missing'
  | 'too_many'
  | 'external_id'
  | 'user_name'
  | 'mailbox'

/** Adds or changes a user. Of what another one has, it answers the name. */
export async function putDirectoryUser(
  db: Db,
  { account, session, eventId }: AdminWrite,
  u: UserChange,
): Promise<{ outcome: UserOutcome; member: string }> {
  const given = {
    member: u.member,
    new_id: u.newId,
    external_id: u.externalId,
    user_name: u.userName,
    name: u.name,
    email: u.email,
    active: u.isActive,
    users_max: u.usersMax,
  }
  const rows = await db.run<{ outcome: UserOutcome; member: string }>(
    (sql) => sql`
      select outcome, member from gate.put_directory_user(
        p_account => ${account}, p_session => ${session}, p_user => ${jsonArgument(given)}::text::jsonb, p_event => ${eventId})`,
  )
  return rows[0]!
}

/** Lets a user go. Returns whether the directory managed them. */
export async function removeDirectoryUser(db: Db, r: AdminWrite & { memberId: string }): Promise<boolean> {
  const rows = await db.run<{ found: boolean }>(
    (sql) => sql`
      select gate.remove_directory_user(
        p_account => ${r.account}, p_session => ${r.session}, p_member => ${r.memberId}, p_event => ${r.eventId}) as found`,
  )
  return rows[0]!.found
}

/** What the directory says of a group. null keeps it; an empty text removes it. */
export interface GroupChange {
  /** null: a new one. */
  group: string | null
  newId: string
  externalId: string | null
  name: string | null
  /** Those of `add` are all its members. */
  replace: boolean
  add: string[]
  remove: string[]
  groupsMax: number
  membersMax: number
}

export type GroupOutcome =
  | 'created'
  | 'changed'
  | 'unchanged'
  | 'missing'
  | 'no_member'
  | 'too_many'
  | 'too_many_members'
  | 'external_id'
  | 'name'

/** Adds or changes a group. Of what another one has, it answers the name. */
export async function putDirectoryGroup(
  db: Db,
  { account, session, eventId }: AdminWrite,
  g: GroupChange,
): Promise<{ outcome: GroupOutcome; group_id: string }> {
  const given = {
    group: g.group,
    new_id: g.newId,
    external_id: g.externalId,
    name: g.name,
    replace: g.replace,
    add: g.add,
    remove: g.remove,
    groups_max: g.groupsMax,
    members_max: g.membersMax,
  }
  const rows = await db.run<{ outcome: GroupOutcome; group_id: string }>(
    (sql) => sql`
      select outcome, group_id from gate.put_directory_group(
        p_account => ${account}, p_session => ${session}, p_group => ${jsonArgument(given)}::text::jsonb, p_event => ${eventId})`,
  )
  return rows[0]!
}

/** Removes a group of the directory. `named`: the policy in force names it, and nothing was changed. */
export async function removeDirectoryGroup(
  db: Db,
  r: AdminWrite & { groupId: string },
): Promise<'removed' | 'missing' | 'named'> {
  const rows = await db.run<{ outcome: 'removed' | 'missing' | 'named' }>(
    (sql) => sql`
      select gate.remove_directory_group(
        p_account => ${r.account}, p_session => ${r.session}, p_group => ${r.groupId}, p_event => ${r.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

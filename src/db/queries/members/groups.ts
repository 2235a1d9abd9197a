import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

export interface GroupRow {
  group_id: string
  name: string
  created_at: Date
  /** The company's directory made it. */
  is_of_directory: boolean
  /** How many members it has, and how many of them are active. */
  members: number
  active: number
}

export interface GroupMemberRow {
  member_id: string
  name: string
  email: string | null
  slack: string | null
  is_active: boolean
  /** When their approval begins to count; null: at once. */
  counts_from: Date | null
}

/** All groups of an account, by name. */
export async function listGroups(db: Db, account: string): Promise<GroupRow[]> {
  return db.read(
    (sql) => sql`
      select g.*, n.* from gate.tenant(${account}) t(id),
      lateral (select group_id, name, created_at, is_of_directory from gate.member_group where account_id = t.id offset 0) g,
      lateral (
        select count(*) as members, count(*) filter (where o.is_active) as active
        from gate.group_membership m
        join gate.member o on o.account_id = t.id and o.member_id = m.member_id
        where m.account_id = t.id and m.group_id = g.group_id
      ) n
      order by lower(g.name), g.group_id`,
  )
}

/** A page of the members of a group, by id, after the member `after`. */
export async function pageGroupMembers(
  db: Db,
  account: string,
  page: { groupId: string; after: string; limitRows: number },
): Promise<GroupMemberRow[]> {
  return db.read(
    (sql) => sql`
      select o.* from gate.tenant(${account}) t(id),
      lateral (
        select o.member_id, o.name, o.email, o.slack, o.is_active, m.counts_from
        from gate.group_membership m
        join gate.member o on o.account_id = t.id and o.member_id = m.member_id
        where m.account_id = t.id and m.group_id = ${page.groupId} and m.member_id > ${page.after}
        order by m.member_id
        limit ${page.limitRows}
      ) o`,
  )
}

/** Creates a group. @throws if the name is already in use */
export async function createGroup(
  db: Db,
  c: AdminWrite & { groupId: string; name: string; groupsMax: number },
): Promise<'created' | 'too_many'> {
  const rows = await db.run<{ outcome: 'created' | 'too_many' }>(
    (sql) => sql`
      select gate.create_group(
        p_account => ${c.account}, p_session => ${c.session}, p_group => ${c.groupId}, p_name => ${c.name},
        p_groups_max => ${c.groupsMax}, p_event => ${c.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Renames a group. @throws if the name is already in use */
export async function renameGroup(
  db: Db,
  r: AdminWrite & { groupId: string; name: string },
): Promise<'renamed' | 'missing' | 'of_directory'> {
  const rows = await db.once<{ outcome: 'renamed' | 'missing' | 'of_directory' }>(
    (sql) => sql`
      select gate.rename_group(
        p_account => ${r.account}, p_session => ${r.session}, p_group => ${r.groupId}, p_name => ${r.name},
        p_event => ${r.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Removes a group. `named`: the policy in force names it, and nothing was changed. */
export async function removeGroup(
  db: Db,
  r: AdminWrite & { groupId: string },
): Promise<'removed' | 'missing' | 'named' | 'of_directory'> {
  const rows = await db.run<{ outcome: 'removed' | 'missing' | 'named' | 'of_directory' }>(
    (sql) => sql`
      select gate.remove_group(
        p_account => ${r.account}, p_session => ${r.session}, p_group => ${r.groupId}, p_event => ${r.eventId}
      ) as outcome`,
  )
  return rows[0]!.outcome
}

export type MembersOutcome = 'changed' | 'unchanged' | 'missing' | 'too_many' | 'of_directory'

/** Adds members to a group and removes some, in one change. @throws if one that is added is not of the account */
export async function changeGroupMembers(
  db: Db,
  c: AdminWrite & { groupId: string; add: string[]; remove: string[]; membersMax: number },
): Promise<MembersOutcome> {
  const rows = await db.run<{ outcome: MembersOutcome }>(
    (sql) => sql`
      select gate.change_group_members(
        p_account => ${c.account}, p_session => ${c.session}, p_group => ${c.groupId}, p_add => ${c.add}::text[],
        p_remove => ${c.remove}::text[], p_members_max => ${c.membersMax}, p_event => ${c.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

import type { ConsentChannel } from '../../../gate/consent.ts'
import type { Tier } from '../../../gate/tier.ts'
import type { Db } from '../../connect.ts'
import type { AdminWrite } from '../../admin-write.ts'
import { jsonArgument } from '../../json-argument.ts'
import { type MemberRow, readMembers } from './member-rows.ts'

export type { IdentityChange, MemberRow } from './member-rows.ts'

/** Identifies a member by an identity or by id. */
export type MemberName = { email: string } | { slack: string } | { memberId: string }

/** By what a member is known and reached. */
export interface MemberIdentities {
  email: string | null
  slack: string | null
  /** The object id in the tenant of the account's bot. */
  teams: string | null
}

/** Those of a member to add: absent is none. */
export type NewIdentities = Omit<MemberIdentities, 'teams'> & { teams?: string | null | undefined }

/** Whether nothing reaches them, and no agent can name them. Pure. */
export const hasNoIdentity = ({ email, slack, teams }: MemberIdentities): boolean =>
  email === null && slack === null && teams === null

/** Finds a member, active or not; undefined if there is none. */
export async function findMember(db: Db, account: string, name: MemberName): Promise<MemberRow | undefined> {
  const { email, slack, memberId } = { email: null, slack: null, memberId: null, ...name }
  const rows = await readMembers(
    db,
    account,
    (sql) => sql`and (member_id = ${memberId} or lower(email) = lower(${email}) or slack = ${slack})
        order by member_id
        limit 1`,
  )
  return rows[0]
}

/** A page of an account's members after `after`, by id, up to `limitRows`. */
export async function pageMembers(
  db: Db,
  account: string,
  page: { after: string; limitRows: number },
): Promise<MemberRow[]> {
  return readMembers(
    db,
    account,
    (sql) => sql`and member_id > ${page.after}
        order by member_id
        limit ${page.limitRows}`,
  )
}

/**
 * A page of the members whose name or e-mail contains a text, ordered by name (ignoring case), then by id.
 * @param page.after  the id of the last member on the previous page
 */
export async function pageMembersByName(
  db: Db,
  account: string,
  page: { text: string | null; after: string | null; limitRows: number },
): Promise<MemberRow[]> {
  const { text, after, limitRows } = page
  return readMembers(
    db,
    account,
    (sql) => sql`${
      text === null
        ? sql``
        : sql`and (position(lower(${text}) in lower(name)) > 0 or position(lower(${text}) in lower(email)) > 0)`
    } ${
      after === null
        ? sql``
        : sql`and (lower(name), member_id) > (
            select lower(name), member_id from gate.member where account_id = t.id and member_id = ${after})`
    }
        order by lower(name), member_id
        limit ${limitRows}`,
    (sql) => sql`order by lower(m.name), m.member_id`,
  )
}

/** Adds a member with the given id. @throws if an identity is already in use */
export async function addMember(
  db: Db,
  m: AdminWrite & { memberId: string; name: string } & NewIdentities,
): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.add_member(
        p_account => ${m.account}, p_session => ${m.session}, p_member => ${m.memberId}, p_name => ${m.name}, p_email => ${m.email},
        p_slack => ${m.slack}, p_event => ${m.eventId}, p_teams => ${m.teams ?? null})`,
  )
}

/** A member to add, with the ids of the member and of the ledger entry. */
export interface ImportedMember extends MemberIdentities {
  memberId: string
  name: string
  eventId: string
}

/** Adds members in one statement: all of them, or none. @throws if an identity is already in use */
export async function importMembers(
  db: Db,
  { account, session }: Omit<AdminWrite, 'eventId'>,
  members: ImportedMember[],
): Promise<void> {
  const listed = members.map(({ memberId, eventId, ...rest }) =>
    jsonArgument({ member_id: memberId, ...rest, event_id: eventId }),
  )
  await db.once(
    (sql) => sql`
      select gate.import_members(
        p_account => ${account}, p_session => ${session}, p_members => ${`[${listed.join()}]`}::text::jsonb)`,
  )
}

/** A member whom a line of a file may mean. */
export interface KnownMember extends MemberIdentities {
  member_id: string
  name: string
  is_active: boolean
}

/** The members, active or not, with one of these identities; for lines without any, those of that name without any. */
export async function findKnownMembers(
  db: Db,
  account: string,
  lines: ({ name: string } & MemberIdentities)[],
): Promise<KnownMember[]> {
  const emails = lines.flatMap(({ email }) => (email === null ? [] : [email]))
  const slacks = lines.flatMap(({ slack }) => (slack === null ? [] : [slack]))
  const teams = lines.flatMap((line) => (line.teams === null ? [] : [line.teams]))
  const names = lines.filter(hasNoIdentity).map(({ name }) => name)
  return db.read(
    (sql) => sql`
      select m.* from gate.tenant(${account}) t(id),
      lateral (
        select member_id, name, email, slack, teams, is_active
        from gate.member
        where account_id = t.id and (
          lower(email) in (select lower(e) from unnest(${emails}::text[]) e) or slack = any(${slacks}::text[])
          or teams = any(${teams}::text[])
          or (email is null and slack is null and teams is null and name = any(${names}::text[])))
        offset 0
      ) m`,
  )
}

export interface MemberChange extends AdminWrite {
  memberId: string
  /** null keeps a field; an empty string removes an identity. */
  name: string | null
  email: string | null
  slack: string | null
  teams?: string | null
  isActive: boolean | null
}

/** Changes the given fields. Returns whether the member exists. @throws if an identity is already in use */
export async function updateMember(db: Db, c: MemberChange): Promise<boolean> {
  const rows = await db.run<{ found: boolean }>(
    (sql) => sql`
      select gate.update_member(
        p_account => ${c.account}, p_session => ${c.session}, p_member => ${c.memberId}, p_name => ${c.name}, p_email => ${c.email},
        p_slack => ${c.slack}, p_active => ${c.isActive}, p_event => ${c.eventId},
        p_teams => ${c.teams ?? null}
      ) as found`,
  )
  return rows[0]!.found
}

export type ConfirmOutcome =
  | 'confirmed'
  | 'missing'
  | 'moved'
  | 'confirmed_before'
  | 'unknown_changer'
  | 'not_admin'
  | 'same_admin'
  | 'new_admin'
  | 'own_mailbox'

/** Records that an administrator confirms the identity change made at `changedAt`. */
export async function confirmIdentity(
  db: Db,
  c: AdminWrite & { memberId: string; via: ConsentChannel; changedAt: Date },
): Promise<ConfirmOutcome> {
  const rows = await db.run<{ outcome: ConfirmOutcome }>(
    (sql) => sql`
      select gate.confirm_identity(
        p_account => ${c.account}, p_session => ${c.session}, p_member => ${c.memberId}, p_via => ${c.via},
        p_changed_at => ${c.changedAt}, p_event => ${c.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Sets a member's tier, or removes the setting (null). Returns whether the member exists. */
export async function setTier(
  db: Db,
  s: AdminWrite & { memberId: string; tier: Tier | null },
): Promise<boolean> {
  const rows = await db.run<{ found: boolean }>(
    (sql) => sql`
      select gate.set_tier(
        p_account => ${s.account}, p_session => ${s.session}, p_member => ${s.memberId}, p_tier => ${s.tier}, p_event => ${s.eventId}
      ) as found`,
  )
  return rows[0]!.found
}

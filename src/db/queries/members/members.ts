import type { ConsentChannel } from '../../../gate/consent.ts'
import type { CurriculumRecord, Tier } from '../../../gate/tier.ts'
import type { Db, Sql } from '../../connect.ts'
import type { AdminWrite } from '../../admin-write.ts'

/** A member as administrators see them, active or not, with the facts behind their tier and the database's clock. */
export interface MemberRow {
  memberId: string
  name: string
  email: string | null
  slack: string | null
  adminTier: Tier | null
  isActive: boolean
  curricula: CurriculumRecord[]
  /** Changes of their e-mail address and Slack identity that replaced another one. */
  identityChanges: IdentityChange[]
  now: Date
}

/** A change of a member's e-mail or Slack identity, and whether a second administrator confirmed it. */
export interface IdentityChange {
  via: ConsentChannel
  changedAt: Date
  /** The actor of the ledger entry, and the address if that is an administrator. */
  changedBy: string | null
  changedByEmail: string | null
  confirmedAt: Date | null
  confirmedByEmail: string | null
}

/** Identifies a member by an identity or by id. */
export type MemberName = { email: string } | { slack: string } | { memberId: string }

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

/** Adds a member with the given id. @throws if the e-mail or Slack identity is already in use */
export async function addMember(
  db: Db,
  m: AdminWrite & { memberId: string; name: string; email: string | null; slack: string | null },
): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.add_member(
        p_account => ${m.account}, p_session => ${m.session}, p_member => ${m.memberId}, p_name => ${m.name}, p_email => ${m.email},
        p_slack => ${m.slack}, p_event => ${m.eventId})`,
  )
}

export interface MemberChange extends AdminWrite {
  memberId: string
  /** null keeps a field; an empty string removes an identity. */
  name: string | null
  email: string | null
  slack: string | null
  isActive: boolean | null
}

/** Changes the given fields. Returns whether the member exists. @throws if an identity is already in use */
export async function updateMember(db: Db, c: MemberChange): Promise<boolean> {
  const rows = await db.run<{ found: boolean }>(
    (sql) => sql`
      select gate.update_member(
        p_account => ${c.account}, p_session => ${c.session}, p_member => ${c.memberId}, p_name => ${c.name}, p_email => ${c.email},
        p_slack => ${c.slack}, p_active => ${c.isActive}, p_event => ${c.eventId}
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

type PassJson = { module: number; passed_at: string | null; latest_at: string }
type CurriculumJson = Omit<CurriculumRecord, 'passes' | 'validDays'> & {
  valid_days: number | null
  passes: PassJson[] | null
}
interface StoredMember {
  member_id: string
  name: string
  email: string | null
  slack: string | null
  admin_tier: Tier | null
  is_active: boolean
  curricula: CurriculumJson[] | null
  changes: ChangeJson[] | null
  now: Date
}
type ChangeJson = Record<'via' | 'changed_at', string> &
  Record<'changed_by' | 'changed_by_email' | 'confirmed_at' | 'confirmed_by_email', string | null>

type Fragment = (sql: Sql) => ReturnType<Sql>

/** @param which  further conditions after `where account_id = …`, with an order and a limit */
async function readMembers(
  db: Db,
  account: string,
  which: Fragment,
  order: Fragment = (sql) => sql`order by m.member_id`,
): Promise<MemberRow[]> {
  const rows = await db.read<StoredMember>(
    (sql) => sql`
      select m.*, s.curricula, h.changes, clock_timestamp() as now
      from gate.tenant(${account}) t(id),
      lateral (
        select member_id, name, email, slack, admin_tier, is_active
        from gate.member
        where account_id = t.id ${which(sql)}
      ) m,
      lateral (
        select json_agg(json_build_object(
          'slug', c.slug, 'title', c.title, 'modules', c.modules, 'grants', c.grants, 'valid_days', c.valid_days,
          'passes', (
            select json_agg(json_build_object(
              'module', p.module, 'passed_at', case when p.revoked_at is null then p.passed_at end,
              'latest_at', p.latest_at))
            from gate.pass p
            where p.account_id = t.id and p.member_id = m.member_id and p.curriculum = c.slug
          )) order by c.slug) as curricula
        from gate.curriculum c where c.account_id = t.id
      ) s,
      lateral (
        select json_agg(json_build_object(
          'via', i.via, 'changed_at', i.changed_at, 'changed_by', i.changed_by, 'changed_by_email', a.email,
          'confirmed_at', i.confirmed_at, 'confirmed_by_email', b.email) order by i.via) as changes
        from gate.identity_change i
        left join gate.admin a on a.account_id = t.id and 'admin:' || a.admin_id = i.changed_by
        left join gate.admin b on b.account_id = t.id and 'admin:' || b.admin_id = i.confirmed_by
        where i.account_id = t.id and i.member_id = m.member_id and i.changed_at is not null
      ) h
      ${order(sql)}`,
  )
  return rows.map(toMember)
}

function toMember(row: StoredMember): MemberRow {
  return {
    memberId: row.member_id,
    name: row.name,
    email: row.email,
    slack: row.slack,
    adminTier: row.admin_tier,
    isActive: row.is_active,
    curricula: (row.curricula ?? []).map(({ valid_days, passes, ...curriculum }) => ({
      ...curriculum,
      validDays: valid_days,
      passes: (passes ?? []).map((pass) => ({
        module: pass.module,
        passedAt: pass.passed_at === null ? null : new Date(pass.passed_at),
        latestAt: new Date(pass.latest_at),
      })),
    })),
    identityChanges: (row.changes ?? []).map((change) => ({
      via: change.via as ConsentChannel,
      changedAt: new Date(change.changed_at),
      changedBy: change.changed_by,
      changedByEmail: change.changed_by_email,
      confirmedAt: change.confirmed_at === null ? null : new Date(change.confirmed_at),
      confirmedByEmail: change.confirmed_by_email,
    })),
    now: row.now,
  }
}

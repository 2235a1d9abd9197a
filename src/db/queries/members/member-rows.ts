import type { ConsentChannel } from '../../../gate/consent.ts'
import type { CurriculumRecord, Tier } from '../../../gate/tier.ts'
import type { Db, Sql } from '../../connect.ts'

/** A member as administrators see them, active or not, with the facts behind their tier and the database's clock. */
export interface MemberRow {
  memberId: string
  name: string
  email: string | null
  slack: string | null
  teams: string | null
  adminTier: Tier | null
  isActive: boolean
  curricula: CurriculumRecord[]
  /** Retired curricula: they earn no tier, and passes of them are history. */
  retired: CurriculumRecord[]
  /** Changes of their identities that replaced another one. */
  identityChanges: IdentityChange[]
  now: Date
}

/** A change of a member's e-mail address or identity in a chat, and whether a second administrator confirmed it. */
export interface IdentityChange {
  via: ConsentChannel
  changedAt: Date
  /** The actor of the ledger entry, and the address if that is an administrator. */
  changedBy: string | null
  changedByEmail: string | null
  confirmedAt: Date | null
  confirmedByEmail: string | null
}

type PassJson = { module: number; passed_at: string | null; latest_at: string }
type CurriculumJson = Omit<CurriculumRecord, 'passes' | 'validDays' | 'moduleTitles'> & {
  valid_days: number | null
  module_titles: string[] | null
  is_retired: boolean
  passes: PassJson[] | null
}
interface StoredMember {
  member_id: string
  name: string
  email: string | null
  slack: string | null
  teams: string | null
  admin_tier: Tier | null
  is_active: boolean
  curricula: CurriculumJson[] | null
  changes: ChangeJson[] | null
  now: Date
}
type ChangeJson = Record<'via' | 'changed_at', string> &
  Record<'changed_by' | 'changed_by_email' | 'confirmed_at' | 'confirmed_by_email', string | null>

type Fragment = (sql: Sql) => ReturnType<Sql>

/**
 * Members of an account, with the facts behind their tier.
 * @param which  further conditions after `where account_id = …`, with an order and a limit
 */
export async function readMembers(
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
        select member_id, name, email, slack, teams, admin_tier, is_active
        from gate.member
        where account_id = t.id ${which(sql)}
      ) m,
      lateral (
        select json_agg(json_build_object(
          'slug', c.slug, 'title', c.title, 'modules', c.modules, 'grants', c.grants, 'valid_days', c.valid_days,
          'module_titles', c.module_titles, 'is_retired', c.retired_at is not null, 'passes', (
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
  const curricula = row.curricula ?? []
  return {
    memberId: row.member_id,
    name: row.name,
    email: row.email,
    slack: row.slack,
    teams: row.teams,
    adminTier: row.admin_tier,
    isActive: row.is_active,
    curricula: curricula.filter(({ is_retired }) => !is_retired).map(toCurriculum),
    retired: curricula.filter(({ is_retired }) => is_retired).map(toCurriculum),
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

const toCurriculum = (row: CurriculumJson): CurriculumRecord => ({
  slug: row.slug,
  title: row.title,
  modules: row.modules,
  grants: row.grants,
  validDays: row.valid_days,
  ...(row.module_titles && { moduleTitles: row.module_titles }),
  passes: (row.passes ?? []).map((pass) => ({
    module: pass.module,
    passedAt: pass.passed_at === null ? null : new Date(pass.passed_at),
    latestAt: new Date(pass.latest_at),
  })),
})

import type { Tier } from '../../../gate/tier.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** A curriculum as an administrator gives it. */
export interface CurriculumRow {
  slug: string
  title: string
  modules: number
  grants: Tier
  valid_days: number | null
  /** The titles of its modules, one for each; absent or null: they have numbers only. */
  module_titles?: string[] | null
}

/** A stored curriculum, with how many active members are certified in it, and how many passed a part of it. */
export interface ListedCurriculum extends CurriculumRow {
  module_titles: string[] | null
  /** null: in force. */
  retired_at: Date | null
  certified: number
  in_progress: number
}

/**
 * All curricula of an account, retired ones too, ordered by slug. The counts follow the rule of `certification` in
 * src/gate/tier.ts, as if no curriculum was retired.
 */
export async function listCurricula(db: Db, account: string): Promise<ListedCurriculum[]> {
  return db.read(
    (sql) => sql`
      select c.*, n.certified, n.in_progress from gate.tenant(${account}) t(id),
      lateral (
        select slug, title, modules, grants, valid_days, module_titles, retired_at
        from gate.curriculum where account_id = t.id offset 0
      ) c,
      lateral (
        select count(*) filter (where m.passed = c.modules) as certified,
          count(*) filter (where m.passed < c.modules) as in_progress
        from (
          select p.member_id, count(*) as passed
          from gate.pass p
          join gate.member o on o.account_id = t.id and o.member_id = p.member_id and o.is_active
          where p.account_id = t.id and p.curriculum = c.slug and p.module <= c.modules and p.revoked_at is null
            and (c.valid_days is null or clock_timestamp() < p.passed_at + c.valid_days * interval '24 hours')
          group by p.member_id
        ) m
      ) n
      order by c.slug`,
  )
}

/** Adds a curriculum. @throws if the slug is already in use */
export async function addCurriculum(db: Db, c: AdminWrite & { curriculum: CurriculumRow }): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.add_curriculum(
        p_account => ${c.account}, p_session => ${c.session}, p_curriculum => ${argumentOf(c.curriculum)}::text::jsonb,
        p_event => ${c.eventId})`,
  )
}

export type ChangeOutcome = 'changed' | 'missing' | 'stale'

/** Replaces everything of a curriculum but its slug. `base`: the curricula version it is based on; null: any. */
export async function changeCurriculum(
  db: Db,
  c: AdminWrite & { curriculum: CurriculumRow; base: number | null },
): Promise<ChangeOutcome> {
  const rows = await db.once<{ outcome: ChangeOutcome }>(
    (sql) => sql`
      select gate.change_curriculum(
        p_account => ${c.account}, p_session => ${c.session}, p_curriculum => ${argumentOf(c.curriculum)}::text::jsonb,
        p_base => ${c.base}, p_event => ${c.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Retires a curriculum (true), or puts it in force again (false). `base`: as for a change. */
export async function retireCurriculum(
  db: Db,
  r: AdminWrite & { slug: string; retire: boolean; base: number | null },
): Promise<ChangeOutcome | 'unchanged'> {
  const rows = await db.once<{ outcome: ChangeOutcome | 'unchanged' }>(
    (sql) => sql`
      select gate.retire_curriculum(
        p_account => ${r.account}, p_session => ${r.session}, p_slug => ${r.slug}, p_retire => ${r.retire},
        p_base => ${r.base}, p_event => ${r.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** The version of the account's curricula: it increases with every change of one. */
export async function curriculaVersion(db: Db, account: string): Promise<number | undefined> {
  const rows = await db.read<{ version: number }>(
    (sql) => sql`
      select c.version from gate.tenant(${account}) t(id),
      lateral (select curricula_version as version from gate.account where account_id = t.id offset 0) c`,
  )
  return rows[0]?.version
}

const argumentOf = ({ slug, title, modules, grants, valid_days, module_titles = null }: CurriculumRow) =>
  jsonArgument({
    slug,
    title,
    modules,
    grants,
    valid_days,
    module_titles: module_titles && module_titles.map((one) => one.toWellFormed()),
  })

export interface ModuleName extends AdminWrite {
  memberId: string
  curriculum: string
  module: number
}

/** Records that a member passed a module, at a time or now (null). Returns whether the module is in force. */
export async function recordPass(db: Db, p: ModuleName & { at: Date | null }): Promise<boolean> {
  const rows = await db.run<{ found: boolean }>(
    (sql) => sql`
      select gate.record_pass(
        p_account => ${p.account}, p_session => ${p.session}, p_member => ${p.memberId}, p_curriculum => ${p.curriculum},
        p_module => ${p.module}, p_at => ${p.at}, p_event => ${p.eventId}
      ) as found`,
  )
  return rows[0]!.found
}

/** Revokes passes: of one module, or of the whole curriculum (null). Returns how many were in force. */
export async function revokePasses(
  db: Db,
  r: Omit<ModuleName, 'module'> & { module: number | null },
): Promise<number> {
  const rows = await db.once<{ revoked: number }>(
    (sql) => sql`
      select gate.revoke_passes(
        p_account => ${r.account}, p_session => ${r.session}, p_member => ${r.memberId}, p_curriculum => ${r.curriculum},
        p_module => ${r.module}, p_event => ${r.eventId}
      ) as revoked`,
  )
  return rows[0]!.revoked
}

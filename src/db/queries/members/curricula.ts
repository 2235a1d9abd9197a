import type { Tier } from '../../../gate/tier.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

export interface CurriculumRow {
  slug: string
  title: string
  modules: number
  grants: Tier
  valid_days: number | null
}

/** All curricula of an account, ordered by slug. */
export async function listCurricula(db: Db, account: string): Promise<CurriculumRow[]> {
  return db.read(
    (sql) => sql`
      select c.* from gate.tenant(${account}) t(id),
      lateral (
        select slug, title, modules, grants, valid_days from gate.curriculum where account_id = t.id offset 0
      ) c
      order by c.slug`,
  )
}

/** Adds a curriculum. @throws if the slug is already in use */
export async function addCurriculum(db: Db, c: AdminWrite & { curriculum: CurriculumRow }): Promise<void> {
  const { slug, title, modules, grants, valid_days } = c.curriculum
  await db.once(
    (sql) => sql`
      select gate.add_curriculum(
        p_account => ${c.account}, p_session => ${c.session}, p_slug => ${slug}, p_title => ${title}, p_modules => ${modules},
        p_grants => ${grants}, p_valid_days => ${valid_days}, p_event => ${c.eventId})`,
  )
}

export interface ModuleName extends AdminWrite {
  memberId: string
  curriculum: string
  module: number
}

/** Records that a member passed a module, at a time or now (null). Returns whether the module exists. */
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

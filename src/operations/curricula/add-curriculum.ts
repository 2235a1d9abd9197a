import { type CurriculumRow, addCurriculum as add } from '../../db/queries/members/curricula.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { requireWholeTitles } from './whole-titles.ts'

/**
 * Adds a course of numbered modules that grants a tier.
 * @throws GateError `invalid` for a wrong number of titles; an error of the database where the slug is taken
 */
export async function addCurriculum(context: AdminContext, curriculum: CurriculumRow): Promise<void> {
  requireWholeTitles(curriculum)
  await add(context.db, { ...writeOf(context), curriculum })
}

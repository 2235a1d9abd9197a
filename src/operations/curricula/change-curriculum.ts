import { type CurriculumRow, changeCurriculum as change } from '../../db/queries/members/curricula.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { requireChanged } from './require-changed.ts'
import { requireWholeTitles } from './whole-titles.ts'

/**
 * Replaces title, modules, tier and validity. Passes stay; those of a module that is gone no longer count.
 * @param base  the curricula version that the effect was shown for; null: not shown
 * @throws GateError `invalid`, `not_found`, `conflict` where a curriculum changed since
 */
export async function changeCurriculum(
  context: AdminContext,
  curriculum: CurriculumRow,
  base: number | null = null,
): Promise<void> {
  requireWholeTitles(curriculum)
  requireChanged(await change(context.db, { ...writeOf(context), curriculum, base }), curriculum.slug)
}

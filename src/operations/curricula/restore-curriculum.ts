import { retireCurriculum as retire } from '../../db/queries/members/curricula.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { requireChanged } from './require-changed.ts'

/** Puts a retired curriculum in force again, with the passes it has. @throws as changeCurriculum */
export async function restoreCurriculum(
  context: AdminContext,
  slug: string,
  base: number | null = null,
): Promise<void> {
  requireChanged(await retire(context.db, { ...writeOf(context), slug, retire: false, base }), slug)
}

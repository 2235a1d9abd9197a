import { retireCurriculum as retire } from '../../db/queries/members/curricula.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { requireChanged } from './require-changed.ts'

/** Retires a curriculum: it earns no tier, and its passes stay. A retired one stays as it is. @throws as changeCurriculum */
export async function retireCurriculum(
  context: AdminContext,
  slug: string,
  base: number | null = null,
): Promise<void> {
  requireChanged(await retire(context.db, { ...writeOf(context), slug, retire: true, base }), slug)
}

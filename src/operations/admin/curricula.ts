import {
  type ChangeOutcome,
  type CurriculumRow,
  type ListedCurriculum,
  addCurriculum as add,
  changeCurriculum as change,
  listCurricula,
  retireCurriculum as retire,
} from '../../db/queries/members/curricula.ts'
import { GateError } from '../../errors.ts'
import { type AccountContext, type AdminContext, writeOf } from './context.ts'
import { requireAccount } from '../require-account.ts'

export type { CurriculumRow, ListedCurriculum }

/**
 * Adds a course of numbered modules that grants a tier.
 * @throws GateError `invalid` for a wrong number of titles; an error of the database where the slug is taken
 */
export async function addCurriculum(context: AdminContext, curriculum: CurriculumRow): Promise<void> {
  requireWholeTitles(curriculum)
  await add(context.db, { ...writeOf(context), curriculum })
}

/** Every curriculum, retired ones too, by slug. @throws GateError `not_found` */
export async function readCurricula({ db, account }: AccountContext): Promise<ListedCurriculum[]> {
  await requireAccount(db, account)
  return listCurricula(db, account)
}

/** One curriculum. @throws GateError `not_found` */
export async function readCurriculum(context: AccountContext, slug: string): Promise<ListedCurriculum> {
  const found = (await readCurricula(context)).find((one) => one.slug === slug)
  if (!found) throw noCurriculum(slug)
  return found
}

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
  settle(await change(context.db, { ...writeOf(context), curriculum, base }), curriculum.slug)
}

/** Retires a curriculum: it earns no tier, and its passes stay. A retired one stays as it is. @throws as changeCurriculum */
export async function retireCurriculum(
  context: AdminContext,
  slug: string,
  base: number | null = null,
): Promise<void> {
  settle(await retire(context.db, { ...writeOf(context), slug, retire: true, base }), slug)
}

/** Puts a retired curriculum in force again, with the passes it has. @throws as changeCurriculum */
export async function restoreCurriculum(
  context: AdminContext,
  slug: string,
  base: number | null = null,
): Promise<void> {
  settle(await retire(context.db, { ...writeOf(context), slug, retire: false, base }), slug)
}

function settle(outcome: ChangeOutcome | 'unchanged', slug: string): void {
  if (outcome === 'missing') throw noCurriculum(slug)
  if (outcome === 'stale')
    throw new GateError(
      'conflict',
      'A curriculum was changed since you opened this page. Nothing was changed now. Check the effect again.',
    )
}

/** @throws GateError `invalid` where titles are given, and not one for each module */
export function requireWholeTitles({ modules, module_titles: titles }: CurriculumRow): void {
  if (titles && titles.length !== modules)
    throw new GateError(
      'invalid',
      `module_titles must have one title for each of the ${modules} modules, or none: ${titles.length} given.`,
      { param: 'module_titles' },
    )
}

const noCurriculum = (slug: string) =>
  new GateError('not_found', `Curriculum ${slug} was not found in this account.`)

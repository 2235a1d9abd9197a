import { type ListedCurriculum, listCurricula } from '../../db/queries/members/curricula.ts'
import type { AccountContext } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'
import { noCurriculum } from './curriculum-not-found.ts'

export type { CurriculumRow, ListedCurriculum } from '../../db/queries/members/curricula.ts'

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

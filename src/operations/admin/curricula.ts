import {
  type CurriculumRow,
  addCurriculum as add,
  listCurricula,
} from '../../db/queries/members/curricula.ts'
import { type AccountContext, type AdminContext, writeOf } from './context.ts'
import { requireAccount } from '../require-account.ts'

export type { CurriculumRow }

/** Adds a course of numbered modules that grants a tier. @throws where the slug is taken */
export async function addCurriculum(context: AdminContext, curriculum: CurriculumRow): Promise<void> {
  await add(context.db, { ...writeOf(context), curriculum })
}

/** Every curriculum, by slug. @throws GateError `not_found` */
export async function readCurricula({ db, account }: AccountContext): Promise<CurriculumRow[]> {
  await requireAccount(db, account)
  return listCurricula(db, account)
}

import type { CurriculumRow } from '../../db/queries/members/curricula.ts'
import { GateError } from '../../errors.ts'

/** @throws GateError `invalid` where titles are given, and not one for each module */
export function requireWholeTitles({ modules, module_titles: titles }: CurriculumRow): void {
  if (titles && titles.length !== modules)
    throw new GateError(
      'invalid',
      `module_titles must have one title for each of the ${modules} modules, or none: ${titles.length} given.`,
      { param: 'module_titles' },
    )
}

import { GateError } from '../../errors.ts'

export const noCurriculum = (slug: string) =>
  new GateError('not_found', `Curriculum ${slug} was not found in this account.`)

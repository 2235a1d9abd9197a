import type { ChangeOutcome } from '../../db/queries/members/curricula.ts'
import { GateError } from '../../errors.ts'
import { noCurriculum } from './curriculum-not-found.ts'

/** @throws GateError `not_found` where there is no such curriculum, `conflict` where one changed since it was shown */
export function requireChanged(outcome: ChangeOutcome | 'unchanged', slug: string): void {
  if (outcome === 'missing') throw noCurriculum(slug)
  if (outcome === 'stale')
    throw new GateError(
      'conflict',
      'A curriculum was changed since you opened this page. Nothing was changed now. Check the effect again.',
    )
}

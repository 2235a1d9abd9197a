import type { Deps } from '../src/deps.ts'
import { consentActivities } from './consent.ts'
import { decisionActivities } from './decision.ts'
import { executionActivities } from './execution.ts'
import { previewActivities } from './previews.ts'
import { reconcileActivities } from './reconcile.ts'

/** Everything workflows may call, with the worker's dependencies. Each may be called again after a crash. */
export function createActivities(deps: Deps) {
  return {
    ...consentActivities(deps),
    ...decisionActivities(deps),
    ...executionActivities(deps),
    ...previewActivities(deps),
    ...reconcileActivities(deps),
  }
}

export type Activities = ReturnType<typeof createActivities>

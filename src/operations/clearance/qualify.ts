import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type FactVersions,
  type Denial as StoredDenial,
  denyAction,
} from '../../db/queries/actions/decide.ts'
import type { Deps } from '../../deps.ts'
import type { Denial } from '../../gate/denial.ts'
import { limits } from '../../limits.ts'
import { keyReused } from '../idempotency.ts'
import { type ClearanceRequest, type EvaluatedClearance, evaluateClearance } from './evaluate-clearance.ts'
import { workflowInput } from '../../temporal/names.ts'
import { logStep } from '../../temporal/action-log.ts'

/** A denial of a row, without its reason. */
export type DenyCommand = Omit<StoredDenial, 'account' | 'reason' | 'code' | 'needs' | 'versions' | 'dueMs'>

export type Qualified = { outcome: 'qualified' } & Extract<EvaluatedClearance, { denial: null }>

export interface DeniedRow {
  outcome: 'denied'
  row: ActionRow
  isReplayed: boolean
}

/** `lost`: the row can no longer be denied: somebody else decided, or its execution has begun. */
export type Denied = DeniedRow | { outcome: 'lost' }

/**
 * Checks tier, policy and ceilings again before a row is confirmed or executed. Where they no longer allow it, the row is
 * denied.
 */
export async function qualifyOrDeny(
  deps: Deps,
  request: ClearanceRequest,
  command: DenyCommand,
): Promise<Qualified | Denied | 'stale'> {
  const clearance = await evaluateClearance(deps, request)
  if (clearance.denial === null) return { outcome: 'qualified', ...clearance }
  const { denial, versions } = clearance
  return denyRow(deps, request.account, command, { denial, versions })
}

/** Denies a row for a reason that rests on `versions`. Its workflow is ended in the background. */
export async function denyRow(
  deps: Deps,
  account: string,
  command: DenyCommand,
  { denial, versions }: { denial: Denial; versions: FactVersions },
): Promise<Denied | 'stale'> {
  const { outcome, action } = await denyAction(deps.db, {
    account,
    ...command,
    reason: denial.sentence,
    code: denial.code,
    needs: denial.needs,
    versions,
    dueMs: limits.outboxDueMs,
  })
  switch (outcome) {
    case 'reused':
      throw keyReused()
    case 'stale':
      return 'stale'
    case 'lost':
      return { outcome: 'lost' }
    case 'denied':
    case 'replayed':
      if (outcome === 'denied') logStep(deps, action, 'decided', { decision: 'deny', code: denial.code })
      // A claimed row is denied by its own workflow, which ends itself.
      if (!command.isClaimed) deps.starter.closeInBackground(workflowInput(action))
      return { outcome: 'denied', row: action, isReplayed: outcome === 'replayed' }
  }
}

import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { type Denial, type FactVersions, denyAction } from '../../db/queries/actions/decide.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { keyReused } from '../idempotency.ts'
import {
  type ClearanceRequest,
  type EvaluatedClearance,
  evaluateClearance,
} from '../proposals/evaluate-clearance.ts'
import { workflowInput } from './wait-for-execution.ts'

/** How a row is denied, whatever the reason will be. */
export type DenyCommand = Omit<Denial, 'account' | 'reason' | 'code' | 'needs' | 'versions' | 'dueMs'>

export type Qualified = { outcome: 'qualified' } & Extract<EvaluatedClearance, { reason: null }>

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
  if (clearance.reason === null) return { outcome: 'qualified', ...clearance }
  const { reason, versions } = clearance
  return denyRow(deps, request.account, command, { reason, versions })
}

/** Denies a row for a reason that rests on `versions`. Its workflow is ended in the background. */
export async function denyRow(
  deps: Deps,
  account: string,
  command: DenyCommand,
  why: { reason: string; versions: FactVersions } & Partial<Pick<Denial, 'code' | 'needs'>>,
): Promise<Denied | 'stale'> {
  const { outcome, action } = await denyAction(deps.db, {
    account,
    ...command,
    code: null,
    needs: null,
    ...why,
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
      // A claimed row is denied by its own workflow, which ends itself.
      if (!command.isClaimed) deps.starter.closeInBackground(workflowInput(action))
      return { outcome: 'denied', row: action, isReplayed: outcome === 'replayed' }
  }
}

import type { Step } from '../src/actions/kind.ts'
import { claimDecision } from '../src/db/queries/actions/decide.ts'
import { type BegunAction, beginExecution } from '../src/db/queries/actions/execution.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { expiryOf } from '../src/operations/decisions/expiry.ts'
import { requireKind } from '../src/operations/proposals/require-kind.ts'
import { recheckLateConfirm } from '../src/operations/decisions/recheck-late-confirm.ts'
import { settleAll } from '../src/settle-all.ts'
import { type ProposalInput, type TaskQueue, taskQueue } from '../src/temporal/names.ts'
import { conclude, withHeartbeats } from './execution.ts'

/** What a workflow is to do: wait on, look again, execute these steps, or end. */
export type Ruling =
  | { state: 'waiting' }
  | { state: 'confirmed' }
  | { state: 'execute'; steps: Step[]; windows: { queue: TaskQueue; width: number }[] }
  | { state: 'closed'; status: string }

/** The ledger's word on a proposal. A signal wakes; only what stands in the ledger executes. */
export function decisionActivities(deps: Deps) {
  // The confirm waited for Temporal past its expiry: tier and policy are read again before it acts.
  async function beginLate(row: BegunAction): Promise<Ruling> {
    const denied = await recheckLateConfirm(deps, row)
    if (denied) return { state: 'closed', status: denied.status }
    const begun = await beginExecution(deps.db, row.account_id, row.id, true)
    return rule(begun.outcome, begun.action)
  }

  async function rule(outcome: string, row: BegunAction): Promise<Ruling> {
    if (outcome === 'missing') return { state: 'closed', status: 'missing' }
    if (outcome === 'closed') return { state: 'closed', status: row.status }
    if (outcome === 'waiting') return { state: 'waiting' }
    const { performer } = requireKind(deps, row.kind)
    const steps = await performer.plan(deps, row)
    if (steps.some((step) => !step.isQuick)) {
      const windows = Object.values(taskQueue).map((queue) => ({ queue, width: limits.stepsWindow }))
      return { state: 'execute', steps, windows }
    }
    await withHeartbeats((context) =>
      settleAll(steps.map((step) => performer.perform(deps, row, step.name, context))),
    )
    const names = steps.map((step) => step.name)
    return { state: 'closed', status: await conclude(deps, row, names) }
  }

  return {
    /** Reads the decision that stands. A confirmed action of quick steps is executed at once, a longer one planned. */
    async decide(input: ProposalInput): Promise<Ruling> {
      const begun = await beginExecution(deps.db, input.account, input.id, false)
      return begun.outcome === 'late' ? beginLate(begun.action) : rule(begun.outcome, begun.action)
    },

    /** Claims the expiry; where a decision came first, says to follow that one. */
    async expire(input: ProposalInput): Promise<Ruling> {
      const { outcome, action } = await claimDecision(deps.db, expiryOf(input))
      if (outcome === 'missing') return { state: 'closed', status: 'missing' }
      if (outcome === 'early') return { state: 'waiting' }
      const isOpen = action.status === 'proposed'
      return isOpen ? { state: 'confirmed' } : { state: 'closed', status: action.status }
    },
  }
}

import { type Step } from '../src/actions/kind.ts'
import { claimDecision } from '../src/db/queries/decide.ts'
import { type ActionRow } from '../src/db/queries/actions.ts'
import { beginExecution } from '../src/db/queries/execution.ts'
import { type Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { kindOf } from '../src/operations/kind-of.ts'
import { expiryOf } from '../src/operations/expiry.ts'
import { denyWhenUnqualified } from '../src/operations/late-confirm.ts'
import { type ProposalInput, type TaskQueue, taskQueue } from '../src/temporal/names.ts'

/** What a workflow is to do: wait on, execute these steps, or end. */
export type Ruling =
  | { state: 'waiting' }
  | { state: 'execute'; steps: Step[]; windows: { queue: TaskQueue; width: number }[] }
  | { state: 'closed'; status: string }

/** The ledger's word on a proposal. A signal wakes; only what stands in the ledger executes. */
export function decisionActivities(deps: Deps) {
  async function readDecision(input: ProposalInput): Promise<Ruling> {
    const begun = await beginExecution(deps.db, input.account, input.id, false)
    if (begun.outcome === 'late') return beginLate(begun.action)
    return rule(begun.outcome, begun.action)
  }

  // The confirm waited for Temporal past its expiry: tier and policy are read again before it acts.
  async function beginLate(row: ActionRow): Promise<Ruling> {
    const denied = await denyWhenUnqualified(deps, row)
    if (denied) return { state: 'closed', status: denied.status }
    const begun = await beginExecution(deps.db, row.account_id, row.id, true)
    return rule(begun.outcome, begun.action)
  }

  async function rule(outcome: string, row: ActionRow): Promise<Ruling> {
    if (outcome === 'missing') return { state: 'closed', status: 'missing' }
    if (outcome === 'closed') return { state: 'closed', status: row.status }
    if (outcome === 'waiting') return { state: 'waiting' }
    const steps = await kindOf(deps, row.kind).performer.plan(deps, row)
    const windows = Object.values(taskQueue).map((queue) => ({ queue, width: limits.stepsWindow }))
    return { state: 'execute', steps, windows }
  }

  return {
    readDecision,

    /** Claims the expiry; where a decision came first, follows that one. */
    async expire(input: ProposalInput): Promise<Ruling> {
      const { outcome, action } = await claimDecision(deps.db, expiryOf(input))
      if (outcome === 'missing') return { state: 'closed', status: 'missing' }
      if (outcome === 'early') return { state: 'waiting' }
      return outcome === 'claimed' ? { state: 'closed', status: action.status } : readDecision(input)
    },
  }
}

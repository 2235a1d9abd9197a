import type { Step } from '../src/actions/kind.ts'
import { type StartedAction, beginExecution } from '../src/db/queries/actions/execution.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { expiryOf } from '../src/operations/clearance/expiry.ts'
import { requireKind } from '../src/operations/actions/require-kind.ts'
import { recheckLateConfirm } from '../src/operations/decisions/recheck-late-confirm.ts'
import { settleAll } from '../src/waiting/settle-all.ts'
import { type ProposalInput, type TaskQueue, taskQueue } from '../src/temporal/names.ts'
import { isChanged, refusedAsChanged } from './changed-action.ts'
import { conclude, withHeartbeats } from './execution.ts'
import { claimLogged } from '../src/operations/clearance/claim-logged.ts'
import { logStep } from '../src/temporal/action-log.ts'

/** The next step of a workflow: wait on, read the decision again, execute these steps, or end. */
export type Ruling =
  | { state: 'waiting' }
  | { state: 'confirmed' }
  | { state: 'execute'; steps: Step[]; windows: { queue: TaskQueue; width: number }[] }
  | { state: 'closed'; status: string }

/** Reads from the ledger what a proposal's workflow does next. A signal only wakes: what executes is in the ledger. */
export function decisionActivities(deps: Deps) {
  return {
    /** Reads the decision. A confirmed action of quick steps is executed here, a longer one is planned. */
    async decide(input: ProposalInput): Promise<Ruling> {
      const begun = await beginExecution(deps.db, input, false)
      return begun.outcome === 'late' ? beginLate(deps, begun.action) : rule(deps, begun)
    },

    /** Claims the expiry. Where a confirm came first, answers `confirmed`. */
    async expire(input: ProposalInput): Promise<Ruling> {
      const { outcome, action } = await claimLogged(deps, expiryOf(input))
      if (outcome === 'missing') return { state: 'closed', status: 'missing' }
      if (outcome === 'early') return { state: 'waiting' }
      const isOpen = action.status === 'proposed'
      return isOpen ? { state: 'confirmed' } : { state: 'closed', status: action.status }
    },
  }
}

/** A confirm that waited for Temporal past its expiry: tier and policy are checked again before it executes. */
async function beginLate(deps: Deps, row: StartedAction): Promise<Ruling> {
  const denied = await recheckLateConfirm(deps, row)
  if (denied) return { state: 'closed', status: denied.status }
  const { account_id: account, id, uuid } = row
  return rule(deps, await beginExecution(deps.db, { account, id, uuid }, true))
}

type Begun = Awaited<ReturnType<typeof beginExecution>>

async function rule(deps: Deps, { outcome, action }: Begun): Promise<Ruling> {
  if (outcome === 'missing') return { state: 'closed', status: 'missing' }
  if (outcome === 'closed') return { state: 'closed', status: action.status }
  if (outcome === 'waiting') return { state: 'waiting' }
  if (isChanged(deps, action)) return { state: 'closed', status: await endChanged(deps, action) }
  logStep(deps, action, 'claimed', { by: 'worker', again: action.was_begun })
  const { performer } = await requireKind(deps, action)
  const steps = await performer.plan(deps, action)
  if (steps.some((step) => !step.isQuick)) return inOwnTasks(steps)
  const names = steps.map((step) => step.name)
  const { quick, again } = await withHeartbeats(async (context) => {
    if (performer.performQuick)
      return { quick: await performer.performQuick(deps, action, names, context), again: [] }
    const work = names.map((name) => performer.perform(deps, action, name, context))
    return { quick: undefined, again: await settleAll(work) }
  })
  if (again.some((one) => one !== undefined)) return inOwnTasks(steps)
  return { state: 'closed', status: await conclude(deps, action, names, quick) }
}

/** Ends an action that was changed: refused where nothing of it was begun, else as it is recorded. @returns its status */
const endChanged = (deps: Deps, row: StartedAction): Promise<string> =>
  conclude(deps, row, [], row.was_begun ? undefined : { conclusion: refusedAsChanged })

function inOwnTasks(steps: Step[]): Ruling {
  const windows = Object.values(taskQueue).map((queue) => ({ queue, width: limits.stepsWindow }))
  return { state: 'execute', steps, windows }
}

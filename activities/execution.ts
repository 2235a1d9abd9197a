import { Context } from '@temporalio/activity'
import { type Again, NeedsOwnTask, type QuickEnd, type StepContext } from '../src/actions/kind.ts'
import { type ActionRow, readAction } from '../src/db/queries/actions/actions.ts'
import { noteDelivered } from '../src/db/queries/actions/deliveries.ts'
import { putStepOff } from '../src/db/queries/actions/open-actions.ts'
import { beginExecution, finishAction } from '../src/db/queries/actions/execution.ts'
import type { Deps } from '../src/deps.ts'
import { eventId } from '../src/ledger/digest.ts'
import { limits } from '../src/limits.ts'
import { requireKind } from '../src/operations/actions/require-kind.ts'
import type { ProposalInput } from '../src/temporal/names.ts'
import { workflowLimits } from '../src/temporal/workflow-limits.ts'
import { isChanged } from './changed-action.ts'
import { logStep } from '../src/temporal/action-log.ts'

/** Executes a confirmed action. The row is read by its id: no payload passes through Temporal. */
export function executionActivities(deps: Deps) {
  return {
    /**
     * Performs one step of the kind, or the rest of it if it was interrupted.
     * @returns with `again`, the step is not at its end, and nothing is recorded about it here
     */
    async performStep(input: ProposalInput, step: string): Promise<{ settled: number; again?: Again }> {
      // Begins again: the start is committed asynchronously, so a crash of the database can lose it, but never the confirm.
      const { outcome, action } = await beginExecution(deps.db, input, true)
      if (outcome === 'closed' || outcome === 'missing') return { settled: 0 }
      if (outcome !== 'begun') throw new Error(`action ${input.id} was not confirmed: nothing is executed`)
      // It ends as it is recorded.
      if (isChanged(deps, action)) return { settled: 0 }
      const { performer } = await requireKind(deps, action)
      const again = await withHeartbeats((context) => performer.perform(deps, action, step, context))
      if (again) {
        await putStepOff(deps.db, input.uuid, Math.min(again.inMs, workflowLimits.stepLaterMsMax))
        return { settled: 0, again }
      }
      const report = await performer.report?.(deps, action, step)
      if (report)
        await noteDelivered(deps.db, {
          account: input.account,
          id: input.id,
          ...noteOf(action, step),
        })
      return { settled: report?.settled ?? 1 }
    },

    /** Records the result of the action and ends it. One that has ended, or of which nothing was begun, stays as it is. */
    async finish(input: ProposalInput): Promise<{ status: string }> {
      const row = await readAction(deps.db, input.account, input.id)
      // The database was restored: the action is lost, and its number is free or another one's.
      if (row?.uuid !== input.uuid) return { status: 'missing' }
      if (row.status !== 'proposed' || !row.begun_at) return { status: row.status }
      return { status: await conclude(deps, row, []) }
    },
  }
}

/**
 * Ends a confirmed action with the outcomes of its steps.
 * @param unnoted  names of the steps that have no ledger entry yet
 * @param given  how it ends, where that is known, and the outcomes that are not recorded yet
 * @returns its status
 * @throws NeedsOwnTask where another attempt is under way
 */
export async function conclude(
  deps: Deps,
  row: ActionRow,
  unnoted: string[],
  given?: Pick<QuickEnd, 'conclusion'> & Partial<QuickEnd>,
): Promise<string> {
  const { performer } = await requireKind(deps, row)
  const ending = given?.conclusion ?? (await performer.conclude(deps, row))
  const { outcome, action } = await finishAction(deps.db, {
    account: row.account_id,
    id: row.id,
    uuid: row.uuid,
    records: given?.records,
    delivered: performer.report ? unnoted.map((step) => noteOf(row, step)) : [],
    status: ending.status,
    result: JSON.stringify(ending.result),
    closedReason: ending.closedReason,
    eventId: eventId(row.uuid, 'finished'),
  })
  if (outcome === 'missing') return outcome
  if (outcome !== 'moved') {
    const { outcome: result, code } = ending.result
    logStep(deps, action, 'outcome', { status: action.status, outcome: result, code })
    return action.status
  }
  await given?.recordAlone?.()
  throw new NeedsOwnTask('another attempt is under way')
}

const noteOf = (row: ActionRow, step: string): { eventId: string; step: string } => ({
  eventId: eventId(row.uuid, 'delivered', step),
  step,
})

/** Sends heartbeats during the work: a rate limit, or finding out an unknown outcome, may take longer than one interval. */
export async function withHeartbeats<T>(
  work: (context: StepContext) => Promise<T>,
  everyMs: number = limits.heartbeatEveryMs,
): Promise<T> {
  const activity = Context.current()
  // In a local activity the worker sends heartbeats for the whole workflow task.
  const heartbeat = () => (activity.info.isLocal ? undefined : activity.heartbeat())
  const timer = setInterval(heartbeat, everyMs)
  try {
    return await work({ signal: activity.cancellationSignal, isBrief: activity.info.isLocal })
  } finally {
    clearInterval(timer)
  }
}

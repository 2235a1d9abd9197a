import { Context } from '@temporalio/activity'
import { type StepContext } from '../src/actions/kind.ts'
import { type ActionRow, readAction } from '../src/db/queries/actions.ts'
import { finishAction } from '../src/db/queries/execution.ts'
import { type Deps } from '../src/deps.ts'
import { eventId } from '../src/ledger/digest.ts'
import { entryTail } from '../src/ledger/entry.ts'
import { limits } from '../src/limits.ts'
import { kindOf } from '../src/operations/kind-of.ts'
import { type ProposalInput } from '../src/temporal/names.ts'

/** What a confirmed action does. The row is read by its id: no payload passes through Temporal. */
export function executionActivities(deps: Deps) {
  return {
    /** Performs one step of the kind, as far as it was not done before. */
    async performStep(input: ProposalInput, step: string): Promise<{ settled: number }> {
      const row = await readAction(deps.db, input.account, input.id)
      if (row?.decision !== 'confirm' || row.begun_at === null) {
        throw new Error(`action ${input.id} was not confirmed: nothing is executed`)
      }
      if (row.status !== 'proposed') return { settled: 0 }
      return withHeartbeats((context) => kindOf(deps, row.kind).performer.perform(deps, row, step, context))
    },

    /** Writes down what became of the action, and ends it. */
    async finish(input: ProposalInput): Promise<{ status: string }> {
      const row = await readAction(deps.db, input.account, input.id)
      if (!row) throw new Error(`action ${input.id} is gone`)
      return { status: await conclude(deps, row) }
    },
  }
}

/** Ends a confirmed action with what was recorded of it. Returns its status. */
export async function conclude(deps: Deps, row: ActionRow): Promise<string> {
  const ending = await kindOf(deps, row.kind).performer.conclude(deps, row)
  const { action } = await finishAction(deps.db, {
    account: row.account_id,
    id: row.id,
    status: ending.status,
    result: JSON.stringify(ending.result),
    closedReason: ending.closedReason,
    eventId: eventId(row.uuid, 'finished'),
    entryTail: entryTail({
      kind: ending.status,
      actor: 'system',
      data: { ...ending.result, ...(ending.closedReason ? { closed_reason: ending.closedReason } : {}) },
    }),
  })
  return action.status
}

/** Beats while the work goes on: a rate limit or a look-up after an unknown outcome may take longer than a beat allows. */
export async function withHeartbeats<T>(work: (context: StepContext) => Promise<T>): Promise<T> {
  const activity = Context.current()
  const heartbeat = () => activity.heartbeat()
  const beating = setInterval(heartbeat, limits.heartbeatEveryMs)
  try {
    return await work({ signal: activity.cancellationSignal, heartbeat })
  } finally {
    clearInterval(beating)
  }
}

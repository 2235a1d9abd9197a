import { randomInt } from 'node:crypto'
import type { ActionRow } from '../../../db/queries/actions/actions.ts'
import { readExecutorCall, settleExecutorCall } from '../../../db/queries/executors/executor-calls.ts'
import { limits } from '../../../limits.ts'
import { untilAborted } from '../../../providers/until-aborted.ts'
import { taskQueue } from '../../../temporal/names.ts'
import { finishesWithin } from '../../../waiting/finishes-within.ts'
import type { KindDeps } from '../../kind-deps.ts'
import type { Again, Performer, StepContext } from '../../kind.ts'
import { type Webhook, attemptWhenDue, callIdOf, idOf, step } from './attempt.ts'
import { concludeCall } from './conclude.ts'

/**
 * Performs a declared kind by calling its executor: one signed call, repeated under the same id until its outcome is known.
 * @source docs/write-an-executor.md
 */
export function webhookPerformer(executor: Webhook): Performer {
  return {
    async plan(deps, row) {
      // A first call is quick. What goes on after it is a step of its own, so that it holds up no workflow task.
      const isQuick = (await readExecutorCall(deps.db, idOf(row))) === undefined
      return [{ queue: taskQueue.executors, name: step, isQuick }]
    },

    perform: (deps, row, _step, context) => performCall(deps, row, executor, context),

    conclude: async (deps, row) => concludeCall(row, await settleExecutorCall(deps.db, idOf(row))),
  }
}

async function performCall(
  deps: KindDeps,
  row: ActionRow,
  executor: Webhook,
  { isBrief, signal }: StepContext,
): Promise<Again | void> {
  const work = deps.executors.once(row.account_id, callIdOf(row), (stop) =>
    attemptWhenDue(deps, row, executor, stop),
  )
  // The account has as many calls under way as it may.
  if (!work) return { inMs: randomInt(limits.executorFullAgainMsMin, limits.executorFullAgainMsMax) }
  // The task has no time left: the record is found later.
  if (isBrief && !(await finishesWithin(limits.executorBriefMs, work)))
    return { inMs: limits.executorLookAgainMs }
  // A worker that stops waits no longer. The work goes on for a moment, and another worker finds how far it came.
  const inMs = await untilAborted(work, signal)
  return inMs === null ? undefined : { inMs }
}

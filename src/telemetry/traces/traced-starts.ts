import { type Context, context } from '@opentelemetry/api'
import type { Workflows } from '../../temporal/client.ts'
import type { WorkflowStarter } from '../../temporal/start-action.ts'

/** As many starts as wait at once in a process. */
const keptMax = 1_000

/**
 * A start waits for a moment in which nobody proposes, and is made from a timer, which belongs to another request. It is traced as
 * part of the request that made its proposal.
 */
export function tracedStarts() {
  const made = new Map<string, Context>()
  return {
    starter: (starter: WorkflowStarter): WorkflowStarter => ({
      ...starter,
      startInBackground(proposal) {
        if (made.size < keptMax) made.set(proposal.uuid, context.active())
        starter.startInBackground(proposal)
      },
      overtakeStart(uuid) {
        made.delete(uuid)
        starter.overtakeStart(uuid)
      },
    }),
    workflows: (workflows: Workflows): Workflows => ({
      ...workflows,
      start(proposal) {
        const of = made.get(proposal.uuid)
        made.delete(proposal.uuid)
        return of === undefined
          ? workflows.start(proposal)
          : context.with(of, () => workflows.start(proposal))
      },
    }),
  }
}

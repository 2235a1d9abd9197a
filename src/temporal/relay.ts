import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { type OpenAction, takeDue } from '../db/queries/actions/open-actions.ts'
import { limits } from '../limits.ts'
import { startPolling } from '../waiting/poll-loop.ts'
import type { Workflows } from './client.ts'
import { workflowInput } from './names.ts'
import type { WorkflowStarter } from './start-action.ts'

const outboxAgainMs = 5_000
const outboxPollMs = 1_000

/**
 * Sends due starts and signals from the outbox, every second, until stopped: those that were lost or failed before. Any
 * number of relays can run; a due row is taken by one.
 */
export function startRelay(deps: { db: Db; workflows: Workflows; starter: WorkflowStarter; log: Logger }): {
  stop(): Promise<void>
} {
  return startPolling(deps, {
    failed: 'outbox relay failed; retrying',
    pollMs: outboxPollMs,
    batchMax: limits.outboxBatchRows,
    pass: () => relayOnce(deps),
  })
}

/** Takes one batch of due rows and signals their workflows. Returns how many were taken. */
export async function relayOnce(deps: Parameters<typeof startRelay>[0]): Promise<number> {
  const due = await takeDue(deps.db, limits.outboxBatchRows, outboxAgainMs)
  await Promise.all(
    due.map(async (open) => {
      try {
        await tell(deps.workflows, open)
        await deps.starter.settle({ uuid: open.uuid, wake: open.wake, dueAt: open.due_at })
      } catch (error) {
        deps.log.debug(
          { err: error, action: open.action_id, account: open.account_id },
          'workflow signal failed; retrying',
        )
      }
    }),
  )
  return due.length
}

function tell(workflows: Workflows, open: OpenAction): Promise<void> {
  const proposal = workflowInput(open)
  return open.wake === 'start'
    ? workflows.start(proposal)
    : workflows.wake(proposal, open.wake, limits.temporalRelayMs)
}

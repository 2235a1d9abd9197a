import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { groupCalls } from '../db/group.ts'
import { type Wake, settle } from '../db/queries/actions/open-actions.ts'
import { limits } from '../limits.ts'
import type { Workflows } from './client.ts'
import type { ProposalInput } from './names.ts'

/** Starts and signals workflows in the background. The outbox relay retries what fails. */
export interface WorkflowStarter {
  /** Starts the workflow of a new proposal. Returns immediately; above the limit the relay does the work. */
  startInBackground(proposal: ProposalInput): void
  /** Has a consent request sent to the member of an open proposal. Returns immediately. */
  askInBackground(proposal: ProposalInput): void
  /** Has a confirmed proposal executed. Returns immediately. */
  confirmInBackground(proposal: ProposalInput): void
  /** Ends the workflow of a closed proposal. Returns immediately. */
  closeInBackground(proposal: ProposalInput): void
  /** Records that a workflow received its signal, so that the relay does not repeat it. */
  settle(signalled: { uuid: string; wake: Wake }): Promise<void>
  /** Resolves once no call is running. */
  idle(): Promise<void>
}

export function workflowStarter(options: {
  db: Db
  workflows: Workflows
  log: Logger
  underWayMax: number
}): WorkflowStarter {
  const { db, workflows, log } = options
  const underWay = new Set<Promise<void>>()
  const settleGrouped = groupCalls<{ uuid: string; wake: Wake }>(
    (signalled) => settle(db, signalled),
    { groupMax: limits.outboxBatchRows, waitingMax: 10_000 },
    () => new Error('too many workflow signals are waiting to be recorded'),
  )

  function behind(proposal: ProposalInput, wake: Wake, tell: () => Promise<void>): void {
    if (underWay.size >= options.underWayMax) return
    const work = tell()
      .then(() => settleGrouped({ uuid: proposal.uuid, wake }))
      .catch((error: unknown) => log.debug({ err: error, action: proposal.id }, 'left to the relay'))
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }

  return {
    startInBackground: (proposal) => behind(proposal, 'start', () => workflows.start(proposal)),
    askInBackground: (proposal) =>
      behind(proposal, 'ask', () => workflows.wake(proposal, 'ask', limits.temporalStartMs)),
    confirmInBackground: (proposal) =>
      behind(proposal, 'confirm', () => workflows.wake(proposal, 'confirm', limits.temporalStartMs)),
    closeInBackground: (proposal) =>
      behind(proposal, 'cancel', () => workflows.wake(proposal, 'cancel', limits.temporalStartMs)),
    settle: settleGrouped,
    async idle() {
      await Promise.allSettled(underWay)
    },
  }
}

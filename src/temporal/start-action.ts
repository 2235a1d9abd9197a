import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { groupCalls } from '../db/group.ts'
import { type Signalled, type Wake, settle } from '../db/queries/actions/open-actions.ts'
import { limits } from '../limits.ts'
import type { Workflows } from './client.ts'
import { laterStarts } from './later-starts.ts'
import type { ProposalInput } from './names.ts'

/** A later start waits until nobody has proposed for so long, as nobody waits for it. */
const startCalmMs = 25
const startsWaitingMax = 1_000

/** Starts and signals workflows in the background. The outbox relay retries what fails. */
export interface WorkflowStarter {
  /**
   * Starts the workflow of a new proposal, a moment later: a decision that comes at once starts it together with its signal,
   * and answers to other proposals go first.
   * Returns immediately; above the limit the relay does the work.
   */
  startInBackground(proposal: ProposalInput): void
  /** Drops a start that still waits: the workflow is told something else, which starts it too. */
  overtakeStart(uuid: string): void
  /** Has a consent request sent to the member of an open proposal. `dueAt`: see Signalled. Returns immediately. */
  askInBackground(proposal: ProposalInput, dueAt: string | null): void
  /** Has a confirmed proposal executed. Returns immediately. */
  confirmInBackground(proposal: ProposalInput): void
  /** Has the steps of a running action called that go on later. `dueAt`: see Signalled. Returns immediately. */
  wakeInBackground(proposal: ProposalInput, dueAt: string | null): void
  /** Ends the workflow of a closed proposal. Returns immediately. */
  closeInBackground(proposal: ProposalInput): void
  /** Records that a workflow received its signal, so that the relay does not repeat it. */
  settle(signalled: Signalled): Promise<void>
  /** Starts at once what still waits, as far as the limit allows, and resolves once no call is running. */
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
  const hasRoom = () => underWay.size < options.underWayMax
  const starts = laterStarts({
    afterMs: limits.startAfterMs,
    calmMs: startCalmMs,
    latestMs: limits.startLatestMs,
    waitingMax: startsWaitingMax,
    hasRoom,
    start: (proposal) => behind(proposal, 'start', () => workflows.start(proposal)),
  })
  const settleGrouped = groupCalls<Signalled>(
    (signalled) => settle(db, signalled),
    { groupMax: limits.outboxBatchRows, waitingMax: 10_000 },
    () => new Error('too many workflow signals are waiting to be recorded'),
  )

  function behind(
    proposal: ProposalInput,
    wake: Wake,
    tell: () => Promise<void>,
    dueAt: string | null = null,
  ): void {
    starts.drop(proposal.uuid)
    if (!hasRoom()) return
    const work = tell()
      .then(() => settleGrouped({ uuid: proposal.uuid, wake, dueAt }))
      .catch((error: unknown) => log.debug({ err: error, action: proposal.id }, 'left to the relay'))
      .finally(() => {
        underWay.delete(work)
        starts.startDue()
      })
    underWay.add(work)
  }

  const signalBehind = (proposal: ProposalInput, wake: Exclude<Wake, 'start'>, dueAt?: string | null) =>
    behind(proposal, wake, () => workflows.wake(proposal, wake, limits.temporalStartMs), dueAt)

  return {
    startInBackground: starts.add,
    overtakeStart: starts.drop,
    askInBackground: (proposal, dueAt) => signalBehind(proposal, 'ask', dueAt),
    confirmInBackground: (proposal) => signalBehind(proposal, 'confirm'),
    wakeInBackground: (proposal, dueAt) => signalBehind(proposal, 'wake', dueAt),
    closeInBackground: (proposal) => signalBehind(proposal, 'cancel'),
    settle: settleGrouped,
    async idle() {
      starts.startAll()
      const running = Promise.allSettled(underWay)
      starts.dropAll()
      await running
    },
  }
}

import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { groupCalls } from '../db/group.ts'
import { type Wake, settle } from '../db/queries/actions/open-actions.ts'
import { limits } from '../limits.ts'
import type { Workflows } from './client.ts'
import type { ProposalInput } from './names.ts'

/** Starts and signals workflows in the background. The outbox relay retries what fails. */
export interface WorkflowStarter {
  /**
   * Starts the workflow of a new proposal, a moment later: a decision that comes at once starts it together with its signal.
   * Returns immediately; above the limit the relay does the work.
   */
  startInBackground(proposal: ProposalInput): void
  /** Drops a start that still waits: the workflow is told something else, which starts it too. */
  overtakeStart(uuid: string): void
  /** Has a consent request sent to the member of an open proposal. Returns immediately. */
  askInBackground(proposal: ProposalInput): void
  /** Has a confirmed proposal executed. Returns immediately. */
  confirmInBackground(proposal: ProposalInput): void
  /** Has the steps of a running action called that go on later. Returns immediately. */
  wakeInBackground(proposal: ProposalInput): void
  /** Ends the workflow of a closed proposal. Returns immediately. */
  closeInBackground(proposal: ProposalInput): void
  /** Records that a workflow received its signal, so that the relay does not repeat it. */
  settle(signalled: { uuid: string; wake: Wake }): Promise<void>
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
  const starts = laterCalls(limits.startAfterMs, limits.startsWaitingMax)
  const settleGrouped = groupCalls<{ uuid: string; wake: Wake }>(
    (signalled) => settle(db, signalled),
    { groupMax: limits.outboxBatchRows, waitingMax: 10_000 },
    () => new Error('too many workflow signals are waiting to be recorded'),
  )

  function behind(proposal: ProposalInput, wake: Wake, tell: () => Promise<void>): void {
    starts.drop(proposal.uuid)
    if (underWay.size >= options.underWayMax) return
    const work = tell()
      .then(() => settleGrouped({ uuid: proposal.uuid, wake }))
      .catch((error: unknown) => log.debug({ err: error, action: proposal.id }, 'left to the relay'))
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }

  /** Where too many calls are running it waits again: the relay would take seconds. */
  function startLater(proposal: ProposalInput): void {
    starts.add(proposal.uuid, () =>
      underWay.size < options.underWayMax
        ? behind(proposal, 'start', () => workflows.start(proposal))
        : startLater(proposal),
    )
  }

  return {
    startInBackground: startLater,
    overtakeStart: starts.drop,
    askInBackground: (proposal) =>
      behind(proposal, 'ask', () => workflows.wake(proposal, 'ask', limits.temporalStartMs)),
    confirmInBackground: (proposal) =>
      behind(proposal, 'confirm', () => workflows.wake(proposal, 'confirm', limits.temporalStartMs)),
    wakeInBackground: (proposal) =>
      behind(proposal, 'wake', () => workflows.wake(proposal, 'wake', limits.temporalStartMs)),
    closeInBackground: (proposal) =>
      behind(proposal, 'cancel', () => workflows.wake(proposal, 'cancel', limits.temporalStartMs)),
    settle: settleGrouped,
    async idle() {
      starts.runAll()
      await Promise.allSettled(underWay)
      starts.dropAll()
    },
  }
}

/** Calls that wait for a while and can be dropped until then, by name. Above `max` nothing is added. */
function laterCalls(afterMs: number, max: number) {
  const waiting = new Map<string, { timer: NodeJS.Timeout; call: () => void }>()
  const drop = (name: string): void => {
    clearTimeout(waiting.get(name)?.timer)
    waiting.delete(name)
  }
  const run = (name: string): void => {
    const { call } = waiting.get(name)!
    drop(name)
    call()
  }
  return {
    add(name: string, call: () => void): void {
      if (waiting.size >= max) return
      waiting.set(name, { timer: setTimeout(run, afterMs, name), call })
    },
    drop,
    dropAll: () => [...waiting.keys()].forEach(drop),
    runAll: () => [...waiting.keys()].forEach(run),
  }
}

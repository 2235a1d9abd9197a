import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { Config } from '../config.ts'
import { limits } from '../limits.ts'
import { withDeadline } from '../with-deadline.ts'
import { lazyConnection } from './connection.ts'
import {
  type ProposalInput,
  type SignalName,
  proposalWorkflowId,
  scheduleId,
  signalName,
  taskQueue,
  workflowType,
} from './names.ts'
import { type PreviewWorkflows, previewWorkflows } from './preview-workflows.ts'
import { actionAttributes, ensureSearchAttributes } from './search-attributes.ts'

/** The proposals' workflows, as the service speaks to them. Every call has a deadline and may be repeated. */
export interface Workflows {
  /** Those of previews. */
  previews: PreviewWorkflows
  /** Starts a proposal's workflow, unless it runs or ran. */
  start(proposal: ProposalInput): Promise<void>
  /** Starts a proposal's workflow if need be, and wakes it. It reads the ledger; the signal decides nothing. */
  wake(proposal: ProposalInput, signal: SignalName, deadlineMs: number): Promise<void>
  /** Wakes the workflow, or starts it anew where it is gone although its row is open. Answers what was done. */
  revive(proposal: ProposalInput, signal: SignalName | null): Promise<'running' | 'restarted'>
  /** Whether Temporal answers now. */
  isUp(): Promise<boolean>
  /** Registers search attributes and the reconciler's schedule, once for all processes. */
  prepare(): Promise<void>
  close(): Promise<void>
}

export function connectWorkflows(config: Config): Workflows {
  const connection = lazyConnection(config)
  const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE })
  const underWay = new Set<Promise<unknown>>()

  function within<T>(ms: number, call: () => Promise<T>): Promise<T> {
    const made = client.withDeadline(Date.now() + ms, call)
    underWay.add(made)
    void made.catch(() => undefined).finally(() => underWay.delete(made))
    // The client ignores a call's deadline while it sleeps between two tries: up to twice the time.
    return withDeadline(ms, made, () => new Error('Temporal did not answer in time.'))
  }

  const options = (proposal: ProposalInput) => ({
    taskQueue: taskQueue.gate,
    workflowId: proposalWorkflowId(proposal),
    args: [proposal],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    typedSearchAttributes: actionAttributes(proposal, 'proposed'),
    staticSummary: `${proposal.kind} #${proposal.id} of ${proposal.account}`,
  })

  const start = (proposal: ProposalInput) =>
    within(limits.temporalStartMs, () => client.workflow.start(workflowType.proposal, options(proposal)))
      .then(() => undefined)
      .catch(ignoreWhenStarted)

  const wake = (proposal: ProposalInput, signal: SignalName, deadlineMs: number) =>
    within(deadlineMs, () =>
      client.workflow.signalWithStart(workflowType.proposal, {
        ...options(proposal),
        signal: signalName[signal],
      }),
    )
      .then(() => undefined)
      .catch((error: unknown) => {
        ignoreWhenStarted(error)
        // Its workflow was ended by hand although the row was open: a confirm needs one, and so does who is to be asked.
        return signal === 'cancel' ? undefined : restart(proposal, signal, deadlineMs)
      })

  // Safe although the id was used: the claim is in the ledger and every step is keyed. It reads the ledger by itself.
  const restart = (proposal: ProposalInput, signal: SignalName, deadlineMs: number) =>
    within(deadlineMs, () =>
      client.workflow.signalWithStart(workflowType.proposal, {
        ...options(proposal),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        signal: signalName[signal],
      }),
    ).then(() => undefined)

  return {
    previews: previewWorkflows(client, within),
    start,
    wake,
    async revive(proposal, signal) {
      const handle = client.workflow.getHandle(proposalWorkflowId(proposal))
      const isRunning = await within(limits.temporalRelayMs, () => handle.describe())
        .then((description) => description.status.name === 'RUNNING')
        .catch((error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return false
          throw error
        })
      if (isRunning) {
        if (signal) await wake(proposal, signal, limits.temporalRelayMs)
        return 'running'
      }
      await restart(proposal, signal ?? 'confirm', limits.temporalRelayMs)
      return 'restarted'
    },
    async isUp() {
      return within(limits.temporalConnectMs, () =>
        client.workflowService.describeNamespace({ namespace: config.TEMPORAL_NAMESPACE }),
      ).then(
        () => true,
        () => false,
      )
    },
    async prepare() {
      await ensureSearchAttributes(connection, config.TEMPORAL_NAMESPACE)
      await within(limits.temporalStartMs, () => client.schedule.create(reconcileSchedule())).catch(
        (error: unknown) => {
          if (!(error instanceof ScheduleAlreadyRunning)) throw error
        },
      )
    },
    // A call that sleeps before its next try would wake on a closed channel and throw where nobody can catch it.
    async close() {
      await Promise.race([
        Promise.allSettled(underWay),
        sleep(limits.shutdownGraceMs, undefined, { ref: false }),
      ])
      await connection.close()
    },
  }
}

function ignoreWhenStarted(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
}

function reconcileSchedule() {
  return {
    scheduleId: scheduleId.reconcile,
    spec: { intervals: [{ every: limits.reconcileEverySeconds * 1_000 }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '5 minutes' as const },
    action: {
      type: 'startWorkflow' as const,
      workflowType: workflowType.reconcile,
      taskQueue: taskQueue.gate,
      workflowId: `reconcile:${randomUUID().slice(0, 8)}`,
    },
  }
}

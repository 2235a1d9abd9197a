import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { limits } from '../limits.ts'
import {
  type ProposalInput,
  type SignalName,
  proposalWorkflowId,
  signalName,
  taskQueue,
  workflowType,
} from './names.ts'
import { actionAttributes } from './search-attributes.ts'
import { workflowLimits } from './workflow-limits.ts'

/** The workflows of proposals. */
export interface ProposalWorkflows {
  /** Starts a proposal's workflow, unless it has already been started. */
  start(proposal: ProposalInput): Promise<void>
  /** Signals a proposal's workflow, starting it if necessary. The workflow reads the ledger; the signal decides nothing. */
  wake(proposal: ProposalInput, signal: SignalName, deadlineMs: number): Promise<void>
  /**
   * Signals the workflow, or restarts it if it is gone while its action is open.
   * @param isStalled  its action should have moved minutes ago: a workflow that does nothing is replaced too
   */
  revive(
    proposal: ProposalInput,
    signal: SignalName | null,
    isStalled: boolean,
  ): Promise<'running' | 'restarted'>
}

/** @param within  makes a call with a deadline in milliseconds */
export function proposalWorkflows(
  client: Client,
  within: <T>(ms: number, call: () => Promise<T>) => Promise<T>,
): ProposalWorkflows {
  const start = (proposal: ProposalInput) =>
    within(limits.temporalStartMs, () => client.workflow.start(workflowType.proposal, optionsOf(proposal)))
      .then(() => undefined)
      .catch(ignoreWhenStarted)

  const wake = (proposal: ProposalInput, signal: SignalName, deadlineMs: number) =>
    within(deadlineMs, () =>
      client.workflow.signalWithStart(workflowType.proposal, {
        ...optionsOf(proposal),
        signal: signalName[signal],
      }),
    )
      .then(() => undefined)
      .catch((error: unknown) => {
        ignoreWhenStarted(error)
        // The workflow was terminated while the action was open: a confirm and a consent request need a running one.
        return signal === 'cancel' ? undefined : restart(proposal, signal, deadlineMs)
      })

  // Reusing the id is safe: the claim is in the ledger, and every step has an idempotency key.
  const restart = (proposal: ProposalInput, signal: SignalName, deadlineMs: number) =>
    within(deadlineMs, () =>
      client.workflow.signalWithStart(workflowType.proposal, {
        ...optionsOf(proposal),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        signal: signalName[signal],
      }),
    ).then(() => undefined)

  const endRun = (proposal: ProposalInput, runId: string) =>
    within(limits.temporalRelayMs, () =>
      client.workflow
        .getHandle(proposalWorkflowId(proposal), runId)
        .terminate('nothing is under way in it long after its action was confirmed'),
    ).catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    })

  return {
    start,
    wake,
    async revive(proposal, signal, isStalled) {
      const handle = client.workflow.getHandle(proposalWorkflowId(proposal))
      const found = await within(limits.temporalRelayMs, () => handle.describe()).catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return undefined
        throw error
      })
      const isRunning = found?.status.name === 'RUNNING'
      const isDead = isRunning && isStalled && isIdle(found)
      // This run and no other: another process may have replaced it meanwhile.
      if (isDead) await endRun(proposal, found.runId)
      if (!isRunning || isDead) {
        await restart(proposal, signal ?? 'confirm', limits.temporalRelayMs)
        return 'restarted'
      }
      if (signal) await wake(proposal, signal, limits.temporalRelayMs)
      return 'running'
    },
  }
}

/**
 * Whether nothing is under way. After Temporal's database is restored from a backup, the workflow in a worker's cache is ahead of
 * the server and never progresses. A new run has no cache.
 */
const isIdle = ({ raw }: WorkflowExecutionDescription): boolean =>
  (raw.pendingActivities ?? []).length === 0 && !isAwaited(raw.pendingWorkflowTask)

/** A first attempt waits for a worker or runs in one. A later one was not answered before: signals keep such a task pending. */
const isAwaited = (task: WorkflowExecutionDescription['raw']['pendingWorkflowTask']): boolean =>
  Boolean(task) && (task?.attempt ?? 1) <= 1

const optionsOf = (proposal: ProposalInput) => ({
  taskQueue: taskQueue.gate,
  workflowId: proposalWorkflowId(proposal),
  args: [proposal],
  workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
  workflowIdConflictPolicy: 'USE_EXISTING' as const,
  workflowTaskTimeout: workflowLimits.workflowTaskMs,
  typedSearchAttributes: actionAttributes(proposal, 'proposed'),
  staticSummary: `${proposal.kind} #${proposal.id} of ${proposal.account}`,
})

function ignoreWhenStarted(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
}

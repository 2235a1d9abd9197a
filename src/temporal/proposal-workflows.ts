import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
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
  /** Signals the workflow, or restarts it if it is gone while its action is open. Returns which of both was done. */
  revive(proposal: ProposalInput, signal: SignalName | null): Promise<'running' | 'restarted'>
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

  return {
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
  }
}

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

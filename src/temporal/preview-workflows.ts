import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { limits } from '../limits.ts'
import {
  type PreviewInput,
  previewSignal,
  previewWorkflowId,
  queryName,
  taskQueue,
  workflowType,
} from './names.ts'
import { previewAttributes } from './search-attributes.ts'
import { workflowLimits } from './workflow-limits.ts'

const previewQueryMs = 500

/** The service's client for preview workflows. Every call has a deadline and is idempotent. */
export interface PreviewWorkflows {
  /** Starts a preview's workflow, unless it is running. @returns false if the workflow has already ended */
  start(preview: PreviewInput): Promise<boolean>
  /**
   * Signals a preview's workflow, starting it if necessary. The workflow reads its state from the database.
   * @returns false if the workflow has already ended
   */
  wake(preview: PreviewInput, signal: keyof typeof previewSignal): Promise<boolean>
  /** The state of a preview according to its workflow; undefined if there is no answer in time. */
  state(preview: { account: string; previewId: string }): Promise<string | undefined>
}

/** Calls Temporal with a deadline in milliseconds. */
export type Within = <T>(ms: number, call: () => Promise<T>) => Promise<T>

export function previewWorkflows(client: Client, within: Within): PreviewWorkflows {
  const options = (preview: PreviewInput) => ({
    taskQueue: taskQueue.gate,
    workflowId: previewWorkflowId(preview),
    args: [preview],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowTaskTimeout: workflowLimits.workflowTaskMs,
    typedSearchAttributes: previewAttributes(preview, 'starting'),
    staticSummary: `${preview.previewId} of ${preview.account}`,
  })
  const isLed = (call: Promise<unknown>) =>
    call.then(
      () => true,
      (error: unknown) => {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false
        throw error
      },
    )
  return {
    start: (preview) =>
      isLed(
        within(limits.temporalStartMs, () => client.workflow.start(workflowType.preview, options(preview))),
      ),
    wake: (preview, signal) =>
      isLed(
        within(limits.temporalSignalMs, () =>
          client.workflow.signalWithStart(workflowType.preview, {
            ...options(preview),
            signal: previewSignal[signal],
          }),
        ),
      ),
    state: (preview) =>
      within(previewQueryMs, () =>
        client.workflow.getHandle(previewWorkflowId(preview)).query<string>(queryName.state),
      ).catch(() => undefined),
  }
}

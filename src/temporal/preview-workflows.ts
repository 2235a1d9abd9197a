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

/** The previews' workflows, as the service speaks to them. Every call has a deadline and may be repeated. */
export interface PreviewWorkflows {
  /** Starts a preview's workflow, unless it runs. @returns false where it has ended: nobody leads that preview any more */
  start(preview: PreviewInput): Promise<boolean>
  /**
   * Wakes a preview's workflow, or starts it: it reads from the ledger what is asked of it.
   * @returns false where it has ended
   */
  wake(preview: PreviewInput, signal: keyof typeof previewSignal): Promise<boolean>
  /** What the workflow says of its preview. Asked once; undefined where no answer comes in time. */
  state(preview: { account: string; previewId: string }): Promise<string | undefined>
}

/** Makes a call of Temporal within so many milliseconds. */
export type Within = <T>(ms: number, call: () => Promise<T>) => Promise<T>

export function previewWorkflows(client: Client, within: Within): PreviewWorkflows {
  const options = (preview: PreviewInput) => ({
    taskQueue: taskQueue.gate,
    workflowId: previewWorkflowId(preview),
    args: [preview],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
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
      within(limits.previewQueryMs, () =>
        client.workflow.getHandle(previewWorkflowId(preview)).query<string>(queryName.state),
      ).catch(() => undefined),
  }
}

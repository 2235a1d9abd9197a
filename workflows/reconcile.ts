import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'

const { reconcile: reconcileOpen } = proxyActivities<Activities>({
  startToCloseTimeout: limits.reconcileMs,
  retry: { maximumAttempts: limits.reconcileTriesMax },
})

/** Started by its schedule: one pass over rows that should have ended or continued, and did not. */
export async function reconcile(): Promise<Awaited<ReturnType<Activities['reconcile']>>> {
  return reconcileOpen()
}

import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'

const { reconcile: reconcileOpen } = proxyActivities<Activities>({
  startToCloseTimeout: limits.reconcileMs,
  retry: { maximumAttempts: limits.reconcileTriesMax },
})

/** Started by its schedule: one pass over everything that should have moved and did not. */
export async function reconcile(): Promise<Awaited<ReturnType<Activities['reconcile']>>> {
  return reconcileOpen()
}

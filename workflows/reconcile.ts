import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'

const { reconcile: reconcileOpen } = proxyActivities<Activities>({
  startToCloseTimeout: '50 seconds',
  retry: { maximumAttempts: 3 },
})

/** Started by its schedule: looks once at what was left over, and mends it. */
export async function reconcile(): Promise<Awaited<ReturnType<Activities['reconcile']>>> {
  return reconcileOpen()
}

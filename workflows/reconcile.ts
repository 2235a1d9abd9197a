import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'

const { reconcile: reconcileOpen } = proxyActivities<Activities>({
  startToCloseTimeout: limits.reconcileMs,
  retry: { maximumAttempts: limits.reconcileTriesMax },
  summary: 'Repair what should have ended or continued',
})

/**
 * Started by its schedule, which starts no second one while it runs: passes over rows that should have ended or continued,
 * and did not. One run makes the passes of an hour, so that the list of workflows shows proposals, not passes.
 */
export async function reconcile(): Promise<Awaited<ReturnType<Activities['reconcile']>>> {
  let done = await reconcileOpen()
  for (let pass = 1; pass < limits.reconcilePasses; pass++) {
    const { revived, previews, failed } = done
    setCurrentDetails(
      `Pass ${pass} of ${limits.reconcilePasses}: ${revived} restarted, ${previews} previews, ${failed} failed`,
    )
    await sleep(limits.reconcileEveryMs, { summary: 'Wait for the next pass' })
    done = await reconcileOpen()
  }
  return done
}

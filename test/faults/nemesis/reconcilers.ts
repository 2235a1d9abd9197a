import { workflowType } from '../../../src/temporal/names.ts'
import type { System } from '../system/system.ts'

let started = 0

/** Two passes at once, beside the one that is scheduled. */
export async function startReconcilers({ service }: System): Promise<void> {
  const temporal = await service.temporal()
  await Promise.allSettled(
    [0, 1].map(() =>
      temporal.connection.withDeadline(Date.now() + 3_000, () =>
        temporal.workflow.start(workflowType.reconcile, {
          workflowId: `faults-reconcile-${++started}`,
          taskQueue: 'gate',
          args: [],
          workflowExecutionTimeout: '30s',
        }),
      ),
    ),
  )
}

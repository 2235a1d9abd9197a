import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { scheduleId } from '../../src/temporal/names.ts'

/** A Temporal namespace of its own, so that no other test's worker takes this one's tasks. */
export async function freshNamespace(): Promise<string> {
  const namespace = `test-${randomUUID().slice(0, 8)}`
  const connection = await connectToTemporal()
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    })
    const until = Date.now() + namespaceReadyMs
    for (;;) {
      try {
        await connection.workflowService.listOpenWorkflowExecutions({ namespace, maximumPageSize: 1 })
        await connection.operatorService.listSearchAttributes({ namespace })
        return namespace
      } catch (error) {
        if (Date.now() > until) throw error
        await sleep(50)
      }
    }
  } finally {
    await connection.close()
  }
}

/** Ends the schedule of the reconciler. It would start a workflow in each namespace of the run, every minute. */
export async function endSchedule(namespace: string): Promise<void> {
  const connection = await connectToTemporal()
  await new Client({ connection, namespace }).schedule
    .getHandle(scheduleId.reconcile)
    .delete()
    .catch(() => undefined)
  await connection.close()
}

const connectToTemporal = () =>
  Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']!, connectTimeout: namespaceReadyMs })

const namespaceReadyMs = 60_000

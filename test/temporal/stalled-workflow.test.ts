import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { reconcileActivities } from '../../activities/reconcile.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { repairWorkflows } from '../../src/operations/maintenance/repair-workflows.ts'
import { proposalWorkflowId, taskQueue } from '../../src/temporal/names.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { temporalOf } from '../support/temporal-client.ts'
import { until } from '../support/until.ts'

// A Temporal server whose database is an older one since, and a worker that remembers what was after it.
let gate: TestGate
let temporal: Client
beforeAll(async () => {
  gate = await startGate({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
  await gate.deps.workflows.prepare()
  temporal = await temporalOf(gate)
}, 60_000)
afterAll(async () => {
  await temporal.connection.close()
  await gate.stop()
})

/** A consented broadcast whose workflow waits for a worker, long after it should have ended. */
async function overdue(again = 'null') {
  const { account, client, id, actor } = await gate.openBroadcast()
  expect((await client.confirm(id, actor)).status).toBe(202)
  const { uuid } = (await readAction(gate.deps.db, account.account, id))!
  const handle = temporal.workflow.getHandle(proposalWorkflowId({ account: account.account, id, uuid }))
  await until('its workflow', () => handle.describe().catch(() => undefined))
  await gate.database.asSuperuser(
    `update gate_private.open_action set decided_at = now() - interval '10 minutes', again_at = ${again} where uuid = '${uuid}'`,
  )
  return { client, id, handle, run: async () => (await handle.describe()).runId }
}

/** Takes the task of a workflow. @returns answers it and does nothing, as a worker does that believes it was done */
async function takeTask({ workflowId }: { workflowId: string }): Promise<() => Promise<unknown>> {
  const { workflowService } = temporal
  const namespace = temporal.options.namespace
  const task = () =>
    temporal.withDeadline(Date.now() + 60_000, () =>
      workflowService.pollWorkflowTaskQueue({
        namespace,
        taskQueue: { name: taskQueue.gate },
        identity: 'remembers more',
      }),
    )
  // A task of another workflow is not answered: it waits on for its worker.
  for (;;) {
    const { taskToken, workflowExecution } = await task()
    if (workflowExecution?.workflowId !== workflowId) continue
    return () => workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands: [] })
  }
}

const answerWithNothing = async (handle: { workflowId: string }) => (await takeTask(handle))()

const reconcile = () => reconcileActivities(gate.deps).reconcile()

test('a workflow that does nothing for a consented action is replaced, and the action is executed', async () => {
  const { client, id, handle, run } = await overdue()
  await answerWithNothing(handle)
  const stalled = await run()
  expect(await reconcile()).toMatchObject({ revived: 1, failed: 0 })
  expect(await run()).not.toBe(stalled)
  await gate.startWorkers()
  const row = await until('its end', async () => {
    const { body } = await client.get(id)
    return body.status !== 'proposed' && body
  })
  await gate.stopWorkers()
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
})

test('a workflow whose task was given to a worker that does not answer is replaced', async () => {
  const { handle, run } = await overdue()
  await takeTask(handle)
  await until('the next attempt', async () => {
    const { raw } = await handle.describe()
    return (raw.pendingWorkflowTask?.attempt ?? 0) > 1
  })
  const stalled = await run()
  expect(await reconcile()).toMatchObject({ revived: 1, failed: 0 })
  expect(await run()).not.toBe(stalled)
})

test('a workflow whose task only waits for a worker is left alone', async () => {
  const { run } = await overdue()
  const waiting = await run()
  expect(await reconcile()).toMatchObject({ revived: 0, failed: 0 })
  expect(await run()).toBe(waiting)
})

test.each([
  ['goes on later', `now() + interval '1 hour'`],
  ['was just told to go on', 'now()'],
])('a workflow whose step %s is left alone, also by a repair of every open action', async (_, again) => {
  const { handle, run } = await overdue(again)
  await answerWithNothing(handle)
  const waiting = await run()
  await repairWorkflows(gate.deps.db, gate.deps.workflows)
  expect(await run()).toBe(waiting)
})

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Client, WorkflowHandle } from '@temporalio/client'
import { reconcileActivities } from '../../activities/reconcile.ts'
import { previewWorkflowId } from '../../src/temporal/names.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { type PreviewScene, previewScene } from '../support/preview.ts'
import { type DirectedDrivers, directedDrivers } from '../support/preview-drivers.ts'
import { temporalOf } from '../support/temporal-client.ts'
import { until } from '../support/until.ts'
import { begun } from './begun.ts'

// Previews whose workflow ends, or hears, otherwise than it should.

let gate: TestGate
let scene: PreviewScene
let ways: DirectedDrivers
let temporal: Client
beforeEach(async () => {
  ways = directedDrivers()
  gate = await startGate({ workers: false, previewWays: ways })
  scene = await previewScene(gate)
  temporal = await temporalOf(gate)
}, 60_000)
afterEach(async () => {
  await temporal.connection.close()
  await gate.stop()
}, 60_000)

const workflowOf = (previewId: string): WorkflowHandle =>
  temporal.workflow.getHandle(previewWorkflowId({ account: scene.account.account, previewId }))
const openPreviews = () => gate.database.asSuperuser('select * from gate_private.open_preview')

const reconcile = () => reconcileActivities(gate.deps).reconcile()

/** One whose workflow waits for a worker to find it a host. */
async function waiting(): Promise<string> {
  await gate.deps.workflows.prepare()
  const previewId = await begun(gate, scene)
  expect(await reconcile()).toMatchObject({ previews: 1 })
  expect((await workflowOf(previewId).describe()).status.name).toBe('RUNNING')
  return previewId
}

describe('before it has a host', () => {
  test('a workflow that is cancelled stops its preview', async () => {
    const previewId = await waiting()
    await workflowOf(previewId).cancel()
    await gate.startWorkers()
    await workflowOf(previewId).result()
    const ended = await scene.status(previewId)
    expect(ended).toMatchObject({ status: 'stopped' })
    expect(ended).not.toHaveProperty('error')
    expect(await openPreviews()).toEqual([])
  })

  test('the preview of a workflow that is terminated can be stopped', async () => {
    const previewId = await waiting()
    await workflowOf(previewId).terminate()
    expect(await scene.stop(previewId)).toMatchObject({ status: 'stopped' })
    expect(await openPreviews()).toEqual([])
  })

  test('the next start after a workflow that is terminated gets another preview', async () => {
    const previewId = await waiting()
    await workflowOf(previewId).terminate()
    await gate.startWorkers()
    const next = await scene.start()
    expect(next).toMatchObject({ status: 'running' })
    expect(next.preview_id).not.toBe(previewId)
    expect(await scene.status(previewId)).toMatchObject({ status: 'failed', error: 'host_lost' })
  })

  test('the reconciler ends the preview of a workflow that is terminated', async () => {
    const previewId = await waiting()
    await workflowOf(previewId).terminate()
    expect(await reconcile()).toMatchObject({ previews: 1 })
    expect(await scene.status(previewId)).toMatchObject({ status: 'failed', error: 'host_lost' })
  })
})

describe('while it runs', () => {
  test('asking for it again, however often, fills no history', async () => {
    await gate.startWorkers()
    const { preview_id } = await scene.start()
    const lengthOf = async () => (await workflowOf(preview_id).describe()).historyLength
    const before = await until('it watches', async () => {
      const { pendingActivities } = (await workflowOf(preview_id).describe()).raw
      const [pending] = pendingActivities ?? []
      return pending?.activityType?.name === 'watchPreview' ? lengthOf() : undefined
    })
    for (let n = 0; n < 10; n++) expect(await scene.start()).toMatchObject({ preview_id, status: 'running' })
    expect(await lengthOf()).toBe(before)
  })

  test('an exit that its host could not write down is written once the database answers', async () => {
    ways.next = 'run'
    await gate.startWorkers()
    const { preview_id } = await scene.start()
    const { run } = gate.deps.db
    let refused = 0
    gate.deps.db.run = (statement) =>
      textOf(statement).includes('finish_preview') && refused++ === 0
        ? Promise.reject(new Error('the connection was lost'))
        : run(statement)
    ways.exit({ error: 'exited', exitCode: 7 }, 'no such table')
    const ended = await until('it has ended', async () => {
      const now = await scene.status(preview_id)
      return ['running', 'stopping'].includes(now.status) ? undefined : now
    })
    expect(refused).toBeGreaterThan(1)
    expect(ended).toMatchObject({
      status: 'failed',
      error: 'exited',
      exit_code: 7,
      log_tail: 'no such table',
    })
  })
})

/** The words of a statement, without its values. */
function textOf(statement: (sql: never) => unknown): string {
  let text = ''
  statement(((parts: readonly string[]) => (text = parts.join(''))) as never)
  return text
}

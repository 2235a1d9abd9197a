import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, WorkflowFailedError } from '@temporalio/client'
import { executionActivities } from '../../activities/execution.ts'
import { reconcileActivities } from '../../activities/reconcile.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { workflowInput, proposalWorkflowId } from '../../src/temporal/names.ts'
import { slackChannel } from '../../src/providers/slack/channel.ts'
import { executorScene } from '../executors/scene.ts'
import { answerJson } from '../executors/stand-in.ts'
import { type FaultProvider, startFaultProvider } from '../support/fault-provider.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { temporalOf } from '../support/temporal-client.ts'
import { until } from '../support/until.ts'

// An operator cancels the workflow of a proposal, as `temporal workflow cancel` does.
let provider: FaultProvider
let gate: TestGate
let temporal: Client
beforeAll(async () => {
  provider = await startFaultProvider()
  gate = await startGate({
    env: { CONFIRM_WAIT_MS: '0' },
    channels: { slack: slackChannel({ token: 'xoxb-test', apiUrl: provider.slackApiUrl }) },
  })
  temporal = await temporalOf(gate)
}, 60_000)
afterAll(async () => {
  await temporal.connection.close()
  await gate.stop()
  await provider.stop()
})

async function proposed() {
  const open = await gate.openBroadcast({ recipients: 9 })
  const row = (await readAction(gate.deps.db, open.account.account, open.id))!
  const handle = temporal.workflow.getHandle(proposalWorkflowId(workflowInput(row)))
  await until('its workflow', () => handle.describe().catch(() => undefined))
  return { ...open, uuid: row.uuid, input: workflowInput(row), handle }
}

/** The pass of the reconciler that comes once the action should have ended. */
async function reconcileLater({ database, deps }: TestGate, uuid: string) {
  await database.asSuperuser(
    `update gate_private.open_action set decided_at = now() - interval '10 minutes' where uuid = '${uuid}'`,
  )
  return reconcileActivities(deps).reconcile()
}

const posts = () => provider.requests.filter(({ call }) => call === 'chat.postMessage').length

test('a small action whose workflow is cancelled while its provider is called ends once, and is never taken up again', async () => {
  const { account, client, id, actor, uuid, handle } = await proposed()
  let release = () => undefined as void
  const held = new Promise<void>((resolve) => (release = resolve))
  provider.arriving = ({ call }) => (call === 'chat.postMessage' ? held : Promise.resolve())
  await client.confirm(id, actor)
  await until('a message is under way', async () => posts() > 0)
  await handle.cancel()
  expect(await handle.result()).toEqual({ status: 'executed' })
  const sent = posts()
  release()
  expect(await reconcileLater(gate, uuid)).toMatchObject({ revived: 0, failed: 0 })
  expect(posts()).toBe(sent)
  const { body } = await client.get(id)
  expect(body.status).toBe('executed')
  expect(body.result.outcome).not.toBe('done')
  expect(await entryKindsOf(gate.database, account.account, id)).toEqual([
    'proposed',
    'confirmed',
    'executed',
  ])
})

test('an action whose workflow is cancelled while its executor is called for the first time ends once, and it is not called again', async () => {
  const scene = await executorScene({ env: { CONFIRM_WAIT_MS: '0' } })
  const client = await temporalOf(scene.gate)
  let release = () => undefined as void
  const held = new Promise<void>((resolve) => (release = resolve))
  scene.answers((_request, response) => held.then(() => answerJson(response, 200, { deleted: true })))
  const desk = await scene.customerDesk()
  const id = await desk.start()
  const { account } = desk.account
  const { uuid } = (await readAction(scene.gate.deps.db, account, id))!
  await until('it is called', async () => scene.executor.received.length > 0)
  const handle = client.workflow.getHandle(proposalWorkflowId({ account, id, uuid }))
  await handle.cancel()
  expect(await handle.result()).toEqual({ status: 'executed' })
  expect(await desk.ended(id)).toMatchObject({ status: 'executed', result: { outcome: 'unknown' } })
  release()
  expect(await reconcileLater(scene.gate, uuid)).toMatchObject({ revived: 0, failed: 0 })
  expect(scene.executor.received).toHaveLength(1)
  await client.connection.close()
  await scene.stop()
}, 60_000)

test('a workflow that is cancelled before a decision ends as cancelled, and the proposal can still be confirmed', async () => {
  const { client, id, actor, handle } = await proposed()
  await handle.cancel()
  await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError)
  expect((await handle.describe()).status.name).toBe('CANCELLED')
  expect((await client.get(id)).body.status).toBe('proposed')
  await client.confirm(id, actor)
  await until('its end', async () => (await client.get(id)).body.status === 'executed')
})

test('an action that was confirmed and not begun is not ended in place of its execution', async () => {
  const { client, id, actor, input } = await proposed()
  await gate.stopWorkers()
  await client.confirm(id, actor)
  expect(await executionActivities(gate.deps).finish(input)).toEqual({ status: 'proposed' })
  await gate.startWorkers()
  await until('its end', async () => (await client.get(id)).body.status === 'executed')
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { proposalWorkflowId, scheduleId } from '../../src/temporal/names.ts'
import { type Service, startService, until } from '../support/supervisor.ts'
import { ended, sayRecovery, senderTo } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

const slackSliceRows = 20
const slicesUnderWay = limits.stepsWindow * limits.slicesInFlight

let service: Service
beforeAll(async () => {
  service = await startService({ env: { CONFIRM_WAIT_MS: '0' } })
  // The reconciler runs when a test says so, and is not mistaken for what it stands behind.
  const temporal = await service.temporal()
  await temporal.schedule.getHandle(scheduleId.reconcile).pause()
  for await (const { workflowId } of temporal.workflow.list({ query: `WorkflowType = 'reconcile'` }))
    await temporal.workflow
      .getHandle(workflowId)
      .terminate()
      .catch(() => undefined)
}, 300_000)
afterAll(() => service.stop(), 60_000)

test('an account suspended in the middle of a broadcast: it stops between slices and says what was delivered', async () => {
  const sender = await senderTo(service, 800, 10)
  const { account, api } = sender.account
  const [{ id }, waiting] = [await sender.propose(), await sender.propose()]
  const middle = holdAfter(40)
  const answer = await api.confirm(id, sender.actor)
  expect(answer.status).toBe(202)
  await middle
  await sender.account.suspend(true)
  service.edges.provider.release()
  const { row } = await ended(service, account, id, 120_000)
  const { slack, failed, unknown } = row['result']
  expect(row).toMatchObject({
    status: 'executed',
    result: { outcome: 'partial', stopped: 'account_suspended' },
  })
  // Unknown where the network kept an answer for longer than a call waits.
  const tried = slack + unknown.slack
  expect(tried).toBeGreaterThanOrEqual(40)
  expect(tried).toBeLessThanOrEqual(40 + slicesUnderWay * slackSliceRows)
  expect(failed.slack).toBe(720 - tried)
  const delivered = service.provider.slackMessages.length
  expect(delivered).toBeGreaterThanOrEqual(slack)
  expect(delivered).toBeLessThanOrEqual(tried)

  expect((await api.confirm(waiting.id, sender.actor)).status).toBe(409)
  await sender.account.suspend(false)
  const resumed = await api.confirm(waiting.id, sender.actor)
  expect(resumed.status).toBe(202)
  const { row: rest } = await ended(service, account, waiting.id, 120_000)
  expect(rest['result']).toMatchObject({ failed: { slack: 0, email: 0 }, unreachable: 0 })
  expect(rest['result']).not.toHaveProperty('stopped')
  await expectInvariants(service, account, [answer.body, resumed.body])
}, 300_000)

test('a proposal that nobody decides is closed at its expiry, and its workflow ends', async () => {
  const { account, actor, propose } = await expiring()
  const { id, workflowId } = await propose()
  const { row } = await ended(service, account.account, id, 120_000)
  expect(row).toMatchObject({ status: 'cancelled', closed_reason: 'expired', decision: 'expire' })
  const lateMs = row['decided_at'].getTime() - row['expires_at'].getTime()
  sayRecovery('expiry, until closed', lateMs)
  expect(lateMs).toBeLessThan(60_000)
  const handle = (await service.temporal()).workflow.getHandle(workflowId)
  expect(await handle.result()).toEqual({ status: 'cancelled' })
  expect((await account.api.confirm(id, actor)).status).toBe(409)
  await expectInvariants(service, account.account)
}, 300_000)

test('a proposal whose workflow is gone is closed at its expiry, without the reconciler', async () => {
  const { account, propose } = await expiring()
  const { id, workflowId } = await propose()
  const handle = (await service.temporal()).workflow.getHandle(workflowId)
  const isWaiting = () =>
    handle.query('state').then(
      (state) => state === 'waiting',
      () => false,
    )
  await until('the workflow waits', 60_000, isWaiting)
  await handle.terminate('by an operator')
  const { row } = await ended(service, account.account, id, 120_000)
  expect(row).toMatchObject({ status: 'cancelled', closed_reason: 'expired' })
  await expectInvariants(service, account.account)
}, 300_000)

test('a claimed row whose workflow was terminated is brought to its end by the reconciler, and nobody gets it twice', async () => {
  const sender = await senderTo(service, 300)
  const { account, api } = sender.account
  const { id } = await sender.propose()
  const middle = holdAfter(service.provider.slackMessages.length + 10)
  const answer = await api.confirm(id, sender.actor)
  expect(answer.status).toBe(202)
  await middle
  await (
    await service.temporal()
  ).workflow
    .getHandle(await workflowOf(account, id))
    .terminate('by an operator')
  service.edges.provider.release()
  // Two minutes pass.
  await service.sql(
    `update gate_private.open_action set decided_at = decided_at - interval '3 minutes' where account_id = '${account}'`,
  )
  await reconcile()
  const { row, ms } = await ended(service, account, id, 120_000)
  sayRecovery('workflow terminated in mid-broadcast, reconciler triggered, until executed', ms)
  expect(row['status']).toBe('executed')
  await expectInvariants(service, account, [answer.body])
}, 300_000)

/** Keeps every byte between the worker and the providers once so many Slack messages have arrived. */
function holdAfter(messages: number): Promise<void> {
  return new Promise((resolve) => {
    service.provider.faultFor = ({ call }) => {
      if (call === 'chat.postMessage' && service.provider.slackMessages.length === messages - 1) {
        service.edges.provider.hold()
        service.provider.faultFor = () => undefined
        setImmediate(resolve)
      }
      return undefined
    }
  })
}

/** An account whose proposals expire after seconds. */
async function expiring() {
  const account = await service.account()
  await account.setPolicy({ expires_after_hours: 3 / 3_600 })
  const actor = { email: 'ada@example.com' }
  await account.addMember({ ...actor, tier: 'guarded_write' })
  const propose = async () => {
    const { body } = await account.api.propose(actor, `Soon over, of ${account.account}.`)
    return { id: body.id as number, workflowId: await workflowOf(account.account, body.id) }
  }
  return { account, actor, propose }
}

async function workflowOf(account: string, id: number): Promise<string> {
  const rows = await service.sql<{ uuid: string }>(
    `select uuid from gate.action where account_id = '${account}' and id = ${id}`,
  )
  return proposalWorkflowId({ account, id, uuid: rows[0]!.uuid })
}

/** Reconciles as the schedule does every minute. */
async function reconcile(): Promise<void> {
  await (await service.temporal()).schedule.getHandle(scheduleId.reconcile).trigger()
}

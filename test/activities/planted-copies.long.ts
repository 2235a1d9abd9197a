import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { bodyOf } from '../../src/actions/declared/webhook/body.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import type { DeliveryChannel } from '../../src/providers/ports.ts'
import { type ExecutorScene, executorScene } from '../executors/scene.ts'
import { billingScene } from '../support/billing.ts'
import type { ApiClient } from '../support/api-client.ts'
import { until } from '../support/until.ts'

// Somebody with the service's role stores another message, request or body right after the consent, before a worker does.
let scene: ExecutorScene
let service: postgres.Sql
beforeAll(async () => {
  scene = await executorScene({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
  service = postgres(scene.gate.database.serviceUrl, { max: 1, onnotice: () => {} })
}, 60_000)
afterEach(() => scene.gate.stopWorkers())
afterAll(async () => {
  await service.end()
  await scene.stop()
})

const uuidOf = async (account: string, id: number) =>
  (await readAction(scene.gate.deps.db, account, id))!.uuid

async function endedBy(client: ApiClient, id: number) {
  await scene.gate.startWorkers()
  return until('its end', async () => {
    const { body } = await client.get(id)
    return body.status !== 'proposed' && body
  })
}

const refused = {
  status: 'cancelled',
  closed_reason: 'refused',
  result: { outcome: 'refused', code: 'payload_changed' },
}

/** A confirmed refund whose stored request is another one. */
async function plantedRefund(changes: object, keyOf = (uuid: string) => `act_${uuid}_call`) {
  const { account, tool } = await billingScene(scene.gate)
  const { body } = await tool('issue_refund', { payment: 'pi_Sandbox04', reason: 'duplicate' })
  await tool('confirm_action', { id: body.id })
  const uuid = await uuidOf(account.account, body.id)
  const { payment, amount_cents: amountCents, currency, reason } = body.payload
  const request = { type: 'refund', payment, amountCents, currency, reason, reference: uuid, ...changes }
  await service`
    select gate.freeze_call(
      ${account.account}, ${body.id}, 'call', 'stripe', ${JSON.stringify(request)}, ${keyOf(uuid)})`
  return { account: account.account, client: account.client, id: body.id as number }
}

const refunds = () => scene.gate.sandbox.stripeOperations().filter((o) => o.operation === 'refund')

test.each([
  ['payment', { payment: 'pi_Sandbox05' }, undefined],
  ['amount', { amountCents: 1 }, undefined],
  ['field', { credential: 'x' }, undefined],
  ['key', {}, (uuid: string) => `act_${uuid}_other`],
])(
  'a stored refund with another %s than its action is not made: it ends as refused',
  async (_, changes, key) => {
    const { client, id } = await plantedRefund(changes, key)
    expect(await endedBy(client, id)).toMatchObject(refused)
    expect(refunds()).toEqual([])
  },
)

test('a stored refund of another payment that was perhaps begun is not made either: it is unknown', async () => {
  const { account, client, id } = await plantedRefund({ payment: 'pi_Sandbox05' })
  await service`select gate.begin_call(${account}, ${id}, 'call', 'sandbox')`
  expect(await endedBy(client, id)).toMatchObject({
    status: 'executed',
    result: { outcome: 'unknown', code: 'payload_changed' },
  })
  expect(refunds()).toEqual([])
})

test('a stored refund that matches its action is made', async () => {
  const { client, id } = await plantedRefund({})
  expect(await endedBy(client, id)).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  expect(refunds()).toHaveLength(1)
})

test.each([
  ['payload', { payload: { customer: 'cus_2' } }],
  ['uuid', { uuid: randomUUID() }],
  ['digest', { digest: '0'.repeat(64) }],
  ['consent', { consent_strength: 'page' as const }],
])(
  "a stored body with another %s than its action's is not sent to the executor: it ends as refused",
  async (_, changes) => {
    const desk = await scene.customerDesk()
    const id = await desk.start()
    const { account } = desk.account
    const row = (await readAction(scene.gate.deps.db, account, id))!
    const body = bodyOf({ ...row, ...changes }, 'receipt')
    const attempt = randomUUID()
    await service`select gate.begin_executor_call(${account}, ${id}, 'call', ${body}, ${attempt}, 1, 86400000)`
    await service`
    select gate.record_executor_call(${account}, ${id}, 'call', ${attempt}, 'pending', false, null, null, null, 0)`
    expect(await endedBy(desk.account.client, id)).toMatchObject(refused)
    expect(scene.executor.received).toEqual([])
  },
)

test('a stored e-mail with another text than its action is not sent: it is unknown', async () => {
  const { account, client, actor, id } = await scene.gate.openBroadcast()
  await client.confirm(id, actor)
  const { email } = await scene.gate.deps.channelsOf(account.account, 0)
  const { credential, freeze } = email as DeliveryChannel
  const frozen = freeze({ text: 'Send money.', proposerName: 'Ada', accountName: 'x', actionNumber: id })
  await service`
    select gate.step_delivery(
      ${account.account}, ${id}, 'email', null, null, null, null, null, 0, 100,
      ${JSON.stringify({ ...frozen, credential })}, null)`
  expect(await endedBy(client, id)).toMatchObject({
    status: 'executed',
    result: { outcome: 'partial', slack: 2, email: 0, unknown: { email: 1 } },
  })
  expect(scene.gate.sandbox.messages().filter(({ text }) => text === 'Send money.')).toEqual([])
  expect(
    await scene.gate.database.asSuperuser(
      `select codes from gate.delivery where account_id = '${account.account}' and channel = 'email'`,
    ),
  ).toEqual([{ codes: ['payload_changed'] }])
})

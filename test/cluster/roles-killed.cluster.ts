import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { proposalWorkflowId, scheduleId } from '../../src/temporal/names.ts'
import { sayRecovery, senderTo } from '../faults/broadcasts.ts'
import { acknowledgedMore, expectAllStored, startLoad } from '../faults/load.ts'
import { type Service, startService, until } from '../support/supervisor.ts'
import { expectAllDelivered } from './delivered.ts'
import { type TemporalCluster, startTemporalCluster } from './temporal-cluster.ts'

let cluster: TemporalCluster
let service: Service
beforeAll(async () => {
  cluster = await startTemporalCluster({
    folder: process.env['TEST_RUN_DIR']!,
    superuserUrl: process.env['TEST_PG_SUPERUSER_URL']!,
  })
  const env = { CONFIRM_WAIT_MS: '5000' }
  service = await startService({ isSandbox: true, temporalAddress: cluster.address, env })
})
afterAll(async () => {
  await service?.stop()
  await cluster?.stop()
}, 120_000)

test('on a cluster proposals run to their end, and their workflows are found by account and status', async () => {
  const sender = await senderTo(service, 4)
  const { account, api } = sender.account
  const [confirmed, cancelled] = [await sender.propose(), await sender.propose()]
  await api.confirm(confirmed.id, sender.actor)
  await until(
    'the broadcast is executed',
    60_000,
    async () => (await api.get(confirmed.id)).body.status === 'executed',
  )
  expect((await api.cancel(cancelled.id, sender.actor)).body.status).toBe('cancelled')

  const client = await service.temporal()
  const rows = await service.sql<{ id: number; uuid: string; status: string }>(
    `select id::int, uuid, status from gate.action where account_id = '${account}' order by id`,
  )
  for (const { id, uuid, status } of rows) {
    const query = `AccountId = '${account}' and ActionId = ${id} and ActionKind = 'broadcast' and ActionStatus = '${status}'`
    await until(`${query} finds the workflow`, 60_000, async () => {
      const found: string[] = []
      for await (const { workflowId } of client.workflow.list({ query })) found.push(workflowId)
      return found.join() === proposalWorkflowId({ account, id, uuid })
    })
  }
  expect(rows.map(({ status }) => status)).toEqual(['executed', 'cancelled'])
  const schedule = await client.schedule.getHandle(scheduleId.reconcile).describe()
  expect(schedule.scheduleId).toBe(scheduleId.reconcile)
  expect(await expectAllDelivered(service, account)).toBe(1)
})

test.each(['history', 'matching', 'frontend'] as const)(
  'a %s process killed under load and replaced: no call is refused, no proposal is lost, and every confirmed broadcast arrives once',
  async (member) => {
    const senders = await Promise.all(Array.from({ length: 2 }, () => senderTo(service, 4)))
    const load = senders.map((sender) => startLoad(sender))
    await acknowledgedMore(load, 12)
    await cluster.kill(member)
    await acknowledgedMore(load, 12)
    await cluster.start(member)
    await cluster.answering()
    const ms = await acknowledgedMore(load, 12)
    sayRecovery(`a ${member} process is replaced, until 24 more writes are acknowledged`, ms)
    await expectAllStored(service, load)
    expect(cluster.down()).toEqual([])
    for (const { sender, refused503 } of load) {
      const { account } = sender.account
      expect(refused503).toBe(0)
      expect(await expectAllDelivered(service, account)).toBeGreaterThan(0)
      expect(await service.gate('ledger', 'verify', '--account', account)).toMatchObject({ ok: true })
    }
  },
)

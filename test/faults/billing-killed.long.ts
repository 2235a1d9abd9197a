import { afterEach, expect, test } from '@jest/globals'
import { type StripeProxy, startStripeProxy } from '../support/stripe-proxy.ts'
import { callTool } from '../support/mcp-tool.ts'
import { type Service, startService } from '../support/supervisor.ts'
import { type Sandbox, startSandbox } from '../../dev/sandbox/sandbox.ts'
import { claimed, ended, sayRecovery } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

let service: Service
let sandbox: Sandbox
let proxy: StripeProxy
afterEach(async () => {
  await service.stop()
  await proxy.stop()
  await sandbox.stop()
}, 300_000)

async function start(env: Record<string, string> = {}) {
  sandbox = await startSandbox()
  proxy = await startStripeProxy(sandbox.stripeApiUrl)
  service = await startService({
    env: { STRIPE_SECRET_KEY: 'sk_test_killed', STRIPE_API_BASE: proxy.url, ...env },
  })
  const account = await service.account()
  const actor = { email: 'wil@example.com' }
  await account.addMember({ name: 'Wil', ...actor, tier: 'write' })
  const propose = async (name: string, args: Record<string, unknown>) =>
    (await callTool(account.api, name, { actor, ...args })).body.id as number
  return { account, actor, propose }
}

test('a worker killed between the call and its recording: the refund is made once, and the row ends done', async () => {
  const { account, actor, propose } = await start({ CONFIRM_WAIT_MS: '0' })
  const id = await propose('issue_refund', { payment: 'pi_Sandbox06' })
  proxy.next('hang')
  const written = proxy.written()
  const answer = await account.api.confirm(id, actor)
  expect(answer.status).toBe(202)
  await written
  await service.kill('worker')
  await service.start('worker')
  const { row, ms } = await ended(service, account.account, id, 120_000)
  sayRecovery('worker killed between a payment call and its recording, until executed', ms)
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done', amount_cents: 540_000 } })
  expect(sandbox.stripeOperations()).toHaveLength(1)
  expect(new Set(proxy.writes.map((write) => write.key)).size).toBe(1)
  await expectInvariants(service, account.account, [answer.body])
}, 300_000)

test('an API killed while it waits for the provider: the cancellation is made once, and the row ends done', async () => {
  const { account, actor, propose } = await start()
  const id = await propose('cancel_subscription', { subscription: 'sub_SandboxLarge', at_period_end: false })
  proxy.next('lose')
  const written = proxy.written()
  const answer = account.api.confirm(id, actor).catch(() => undefined)
  await claimed(service, account.account, id)
  await service.kill('api')
  await written
  await service.start('api')
  const { row } = await ended(service, account.account, id, 120_000)
  expect(await answer).toBeUndefined()
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done', status: 'canceled' } })
  expect(sandbox.stripeOperations()).toHaveLength(1)
}, 300_000)

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type RunningApi, startApi } from '../../src/api.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { environmentProviders } from '../../src/operations/integrations/environment-providers.ts'
import { type Sandbox, startSandbox } from '../../dev/sandbox/sandbox.ts'
import { apiClient } from '../support/api-client.ts'
import { type BillingScene, billingScene } from '../support/billing.ts'
import { connect, ringOf } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'

// The stand-in takes the place of Stripe: this gate believes that it is.
let provider: Sandbox
let gate: TestGate
let first: BillingScene
let second: BillingScene
beforeAll(async () => {
  provider = await startSandbox()
  gate = await startGate({
    env: {
      SECRETS_KEYS: ringOf('k1'),
      STRIPE_SECRET_KEY: 'sk_test_environment',
      STRIPE_API_BASE: provider.stripeApiUrl,
    },
  })
  first = await billingScene(gate)
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await provider.stop()
})

/** Every verb of money. */
const verbs: [tool: string, args: Record<string, unknown>][] = [
  ['list_payments', {}],
  ['list_payments', { customer: 'cus_SandboxAcme' }],
  ['issue_refund', { payment: 'pi_Sandbox01', amount_cents: 100 }],
  ['cancel_subscription', { subscription: 'sub_SandboxSmall' }],
  ['create_checkout', { amount_cents: 500, description: 'A kit' }],
  ['create_checkout', { price: 'price_SandboxKit' }],
  ['send_payout', { amount_cents: 500 }],
]
const notConnected = {
  isError: true,
  body: {
    code: 'provider_not_connected',
    error: expect.stringContaining('No payment provider is connected'),
  },
}
const ask = (scene: BillingScene, url: string, tool: string, args: Record<string, unknown>) =>
  callTool(apiClient(url, scene.account.key), tool, { actor: { email: 'wil@example.com' }, ...args })

test('the only account has the money of the environment', async () => {
  for (const [tool, args] of verbs)
    expect([tool, (await ask(first, gate.api.url, tool, args)).isError]).toEqual([tool, false])
})

test('with a second account nobody has it, and what was confirmed before is refused', async () => {
  const { body } = await first.tool('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 100 })
  await gate.stopWorkers()
  const confirmed = await first.client.confirm(body.id, { email: 'gus@example.com' })
  expect(confirmed.status).toBe(202)
  second = await billingScene(gate)
  await gate.startWorkers()
  const ended = await until('it ends', async () => {
    const row = (await first.client.get(body.id)).body
    return row.status !== 'proposed' && row
  })
  expect(ended).toMatchObject({ status: 'cancelled', result: { outcome: 'refused', code: 'not_connected' } })
  for (const scene of [first, second])
    for (const [tool, args] of verbs)
      expect(await ask(scene, gate.api.url, tool, args)).toMatchObject(notConnected)
  expect(provider.stripeOperations()).toEqual([])
})

async function withNamed(account: string, use: (api: RunningApi, deps: Deps) => Promise<void>) {
  const deps = makeDeps({ ...gate.config, ENVIRONMENT_PROVIDERS_ACCOUNT: account }, { log: gate.deps.log })
  const api = await startApi(deps)
  try {
    await use(api, deps)
  } finally {
    await api.stop()
    await deps.close()
  }
}

test('with two accounts, the named one has the Stripe key of the environment, and the other connects its own', async () => {
  await withNamed(second.account.account, async ({ url }, deps) => {
    for (const [tool, args] of verbs) {
      expect(await ask(first, url, tool, args)).toMatchObject(notConnected)
      expect([tool, (await ask(second, url, tool, args)).isError]).toEqual([tool, false])
    }
    const standIns = async (scene: BillingScene) =>
      (await environmentProviders(deps, scene.account.account)).stripe
    expect([await standIns(first), await standIns(second)]).toEqual([null, 'environment'])
    await connect(gate, first.client, { email: 'wil@example.com' }, 'stripe')
    expect((await ask(first, url, 'list_payments', {})).isError).toBe(false)
    const own = await deps.billing(first.account.account)
    expect(own!.fingerprint).not.toBe((await deps.billing(second.account.account))!.fingerprint)
  })
})

test('a name of another service serves nobody here', async () => {
  await withNamed('acct_0000000000000000', async ({ url }) => {
    expect(await ask(second, url, 'list_payments', {})).toMatchObject(notConnected)
  })
})

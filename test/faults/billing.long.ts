import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Sandbox, startSandbox } from '../../dev/sandbox/sandbox.ts'
import { limits } from '../../src/limits.ts'
import type { BillingAccess } from '../../src/providers/billing.ts'
import { stripeProvider } from '../../src/providers/stripe/provider.ts'
import { type BillingScene, billingScene } from '../support/billing.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { type StripeFault, type StripeProxy, startStripeProxy } from '../support/stripe-proxy.ts'

let sandbox: Sandbox
let proxy: StripeProxy
let gate: TestGate
let scene: BillingScene
const access: BillingAccess = { provider: undefined!, fingerprint: '', retryDelayMs: 10 }

beforeAll(async () => {
  gate = await startGate({ billing: access })
}, 300_000)
afterAll(() => gate.stop())
beforeEach(async () => {
  // Each test has its own scene, so that no test adds to the sums of another.
  scene = await billingScene(gate)
  sandbox = await startSandbox()
  proxy = await startStripeProxy(sandbox.stripeApiUrl)
  useKey('sk_test_first')
})
afterEach(async () => {
  await proxy.stop()
  await sandbox.stop()
})

function useKey(apiKey: string): void {
  Object.assign(access, {
    provider: stripeProvider({ apiKey, apiBase: proxy.url, timeoutMs: 500 }),
    fingerprint: apiKey,
  })
}

const refund = { payment: 'pi_Sandbox06', amount_cents: 5_000 }
const performed = () => sandbox.stripeOperations().length

const survived: [string, StripeFault[]][] = [
  ['an answer that is lost after the work was done', ['lose']],
  ['answers lost twice', ['lose', 'lose']],
  ['an answer that never comes', ['hang']],
  ['a call that never arrives', ['drop']],
  ['429 with Retry-After', [{ status: 429, headers: { 'retry-after': '1' }, code: 'rate_limit' }]],
  ['429 without Retry-After', [{ status: 429, code: 'rate_limit' }]],
  ['a lost answer, then 429', ['lose', { status: 429, headers: { 'retry-after': '0' } }]],
  ['500, then success', [{ status: 500 }]],
  ['a lost answer, then 500', ['lose', { status: 500 }]],
  ['409 because the key is in use', [{ status: 409, code: 'idempotency_key_in_use' }]],
]
test.each(survived)('%s: the refund is done once, and the row says so', async (_what, faults) => {
  proxy.next(...faults)
  const row = await scene.done('issue_refund', refund)
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done', amount_cents: 5_000 } })
  expect(performed()).toBe(1)
  expect(new Set(proxy.writes.map((write) => write.key)).size).toBe(1)
  expect(proxy.writes[0]!.key).toMatch(/^act_[0-9a-f-]{36}_call$/)
})

const lost: [string, Record<string, unknown>, string][] = [
  ['send_payout', { amount_cents: 700 }, 'payout'],
  ['create_checkout', { amount_cents: 700, description: 'Tea' }, 'checkout'],
  ['cancel_subscription', { subscription: 'sub_SandboxSmall' }, 'cancellation'],
  ['cancel_subscription', { subscription: 'sub_SandboxSmall', at_period_end: false }, 'cancellation'],
]
test.each(lost)('a lost answer of %s %j: it is done once', async (name, args, operation) => {
  proxy.next('lose')
  const row = await scene.done(name, args, scene.writer)
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  expect(sandbox.stripeOperations().map((done) => done.operation)).toEqual([operation])
})

test('where nothing arrives however often it is tried, the row is honestly unknown and nothing was done', async () => {
  proxy.next(...Array.from({ length: 40 }, () => 'drop' as const))
  const row = await scene.done('issue_refund', refund)
  expect(row).toMatchObject({
    status: 'executed',
    result: { outcome: 'unknown', code: 'not_found_at_provider' },
  })
  expect([performed(), proxy.writes.length]).toEqual([0, limits.billingTriesMax])
})

test('where only the answers get lost, the refund is found by what it carries, and was done once', async () => {
  proxy.next(...Array.from({ length: 40 }, () => 'lose' as const))
  const row = await scene.done('issue_refund', refund)
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done', status: 'succeeded' } })
  expect(performed()).toBe(1)
})

test('two confirms at once: one wins, the other gets 409, and one refund is made', async () => {
  const { body } = await scene.tool('issue_refund', refund)
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => scene.client.confirm(body.id, { email: 'gus@example.com' })),
  )
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
  expect(performed()).toBe(1)
})

test('the same confirm again under its key gets the same answer, and nothing is done again', async () => {
  const { body } = await scene.tool('issue_refund', refund)
  const confirm = () =>
    callTool(scene.client, 'confirm_action', {
      id: body.id,
      actor: { email: 'gus@example.com' },
      idempotency_key: `confirm ${body.id}`.replace(' ', '-'),
    })
  const [first, second] = [await confirm(), await confirm()]
  expect(second.body).toEqual(first.body)
  expect(first.body).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  expect(performed()).toBe(1)
})

test('a key revoked between propose and confirm: refused with its code, and nothing was done', async () => {
  const { body } = await scene.tool('issue_refund', refund)
  useKey('sk_test_invalid')
  const ended = await scene.tool('confirm_action', { id: body.id })
  expect(ended.body).toMatchObject({
    status: 'cancelled',
    closed_reason: 'refused',
    result: { outcome: 'refused', code: expect.any(String) },
  })
  expect(performed()).toBe(0)
})

test('a payout or checkout proposed under one key is not made under another, which may be another account’s', async () => {
  const payout = await scene.tool('send_payout', { amount_cents: 700 }, scene.writer)
  const checkout = await scene.tool('create_checkout', { amount_cents: 700, description: 'Tea' })
  useKey('sk_test_second')
  const ended = [
    await scene.tool('confirm_action', { id: payout.body.id }, scene.writer),
    await scene.tool('confirm_action', { id: checkout.body.id }),
  ]
  for (const { body } of ended) {
    expect(body).toMatchObject({
      status: 'cancelled',
      closed_reason: 'refused',
      result: { outcome: 'refused', code: 'credential_changed' },
    })
  }
  expect(proxy.writes).toEqual([])
})

test('a key revoked after an answer was lost: the row never claims that nothing happened', async () => {
  proxy.next('lose')
  const { body } = await scene.tool('issue_refund', refund)
  const written = proxy.written()
  const ending = scene.tool('confirm_action', { id: body.id })
  await written
  useKey('sk_test_invalid')
  expect((await ending).body).toMatchObject({ status: 'executed', result: { outcome: 'unknown' } })
  expect(performed()).toBe(1)
})

test('a key replaced after an answer was lost: nothing is sent with the new one, and what was done is found', async () => {
  proxy.next('lose')
  const { body } = await scene.tool('issue_refund', refund)
  const written = proxy.written()
  const ending = scene.tool('confirm_action', { id: body.id })
  await written
  useKey('sk_test_second')
  expect((await ending).body).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  expect([performed(), proxy.writes.length]).toEqual([1, 1])
})

test('a subscription cancelled elsewhere meanwhile: refused, since this row did nothing', async () => {
  const { body } = await scene.tool('cancel_subscription', { subscription: 'sub_SandboxSmall' })
  const other = new URL('/v1/subscriptions/sub_SandboxSmall', sandbox.stripeApiUrl)
  await fetch(other, { method: 'DELETE', headers: { authorization: 'Bearer sk_test_other' } })
  const ended = await scene.tool('confirm_action', { id: body.id })
  expect(ended.body).toMatchObject({
    status: 'cancelled',
    closed_reason: 'refused',
    result: { outcome: 'refused', code: 'already_canceled' },
  })
})

test('a payment refunded elsewhere meanwhile: refused with the provider’s code', async () => {
  const { body } = await scene.tool('issue_refund', { payment: 'pi_Sandbox09' })
  await fetch(new URL('/v1/refunds', sandbox.stripeApiUrl), {
    method: 'POST',
    headers: {
      authorization: 'Bearer sk_test_other',
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': randomUUID(),
    },
    body: 'payment_intent=pi_Sandbox09',
  })
  const ended = await scene.tool('confirm_action', { id: body.id })
  expect(ended.body).toMatchObject({
    status: 'cancelled',
    closed_reason: 'refused',
    result: { outcome: 'refused', code: 'charge_already_refunded' },
  })
  expect(performed()).toBe(1)
})

test('a provider that does not answer a read: a sentence, and no row', async () => {
  await proxy.stop()
  const { isError, body } = await scene.tool('issue_refund', refund)
  expect([isError, body.error]).toEqual([
    true,
    expect.stringContaining('The payment provider did not answer'),
  ])
})

test('the stop switch between confirm and call: nothing is sent, and the row says why', async () => {
  const slow = await startGate({ billing: access, env: { CONFIRM_WAIT_MS: '0' }, workers: false })
  try {
    const other = await billingScene(slow)
    const { body } = await other.tool('issue_refund', refund)
    const claimed = await other.client.confirm(body.id, { email: 'gus@example.com' })
    expect(claimed.status).toBe(202)
    await other.account.suspend(true)
    const ended = slow.deps.actionEnds.expect(await uuidOf(slow, other, body.id))
    await slow.startWorkers()
    await ended.within(20_000, undefined)
    expect((await other.client.get(body.id)).body).toMatchObject({
      status: 'cancelled',
      closed_reason: 'refused',
      result: { outcome: 'refused', code: 'account_suspended' },
    })
    expect(proxy.writes).toEqual([])
  } finally {
    await slow.stop()
  }
})

async function uuidOf(of: TestGate, { account }: BillingScene, id: number): Promise<string> {
  const rows = await of.deps.db.run<{ uuid: string }>(
    (sql) => sql`
      select a.uuid from gate.tenant(${account.account}) t(id),
      lateral (select * from gate.action where account_id = t.id and id = ${id} offset 0) a`,
  )
  return rows[0]!.uuid
}

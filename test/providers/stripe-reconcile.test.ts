import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { BillingCall } from '../../src/providers/billing.ts'
import { stripeProvider } from '../../src/providers/stripe/provider.ts'
import * as faulty from '../support/fault-provider.ts'
import { refusal, startStripeFaultServer, type StripeFaultServer } from '../support/stripe-fault-server.ts'

let stripe: StripeFaultServer
beforeEach(async () => {
  stripe = await startStripeFaultServer()
  stripe.add({ id: 'pi_1', object: 'payment_intent', currency: 'usd', latest_charge: 'ch_1' })
  stripe.add({
    id: 'ch_1',
    object: 'charge',
    amount: 5_000,
    amount_captured: 5_000,
    amount_refunded: 0,
    currency: 'usd',
  })
})
afterEach(() => stripe.stop())

const provider = () => stripeProvider({ apiKey: 'rk_test_1', apiBase: stripe.apiBase })
const payout: BillingCall = { type: 'payout', reference: 'uuid-1', amountCents: 2_500, currency: 'usd' }
const ofPayment = { type: 'refund', reference: 'uuid-1', amountCents: 1_200, currency: 'usd' } as const
const checkout: BillingCall = {
  type: 'checkout',
  reference: 'uuid-1',
  mode: 'payment',
  item: { unitCents: 700, currency: 'eur', description: 'Tea' },
  quantity: 3,
  totalCents: 2_100,
  currency: 'eur',
  successUrl: 'https://gate.example/done',
  cancelUrl: 'https://gate.example/done?cancelled=1',
}
const attemptedAt = new Date()
const reconcile = (call: BillingCall, at = attemptedAt) => provider().reconcile(call, at)
const unknown = (code: string) => ({ state: 'unknown', code })

describe('the work of a lost call is found by its reference, after its key is forgotten', () => {
  test.each<[string, BillingCall]>([
    ['a refund of a payment', { ...ofPayment, payment: 'pi_1' }],
    ['a refund of a charge', { ...ofPayment, payment: 'ch_1' }],
    ['a payout', payout],
    ['a checkout', checkout],
  ])('%s', async (_name, call) => {
    await provider().perform({ ...call, reference: 'uuid-0' }, 'act_uuid-0_call', { isRepeat: false })
    stripe.failNext('POST', faulty.workThenDrop)
    expect((await provider().perform(call, 'act_uuid-1_call', { isRepeat: false })).state).toBe('unknown')
    stripe.forgetKeys()

    const [lost] = [...stripe.objects.values()].reverse()
    expect(await reconcile(call)).toMatchObject({
      state: 'ok',
      id: lost!.id,
      amountCents: expect.any(Number),
    })
    expect(stripe.requestsBy('POST')).toHaveLength(2)
  })
})

test('a call that was never made is unknown: it may show later, or be of another account', async () => {
  payouts(3)
  for (const call of [payout, checkout, { ...ofPayment, payment: 'pi_1' }])
    expect(await reconcile(call)).toEqual(unknown('not_found_at_provider'))
  expect(stripe.requestsBy('POST')).toHaveLength(0)
})

test('a call is found on a later page, and the search is bounded', async () => {
  made('po_ours', 'uuid-1')
  payouts(250)
  expect(await reconcile(payout)).toMatchObject({ state: 'ok', id: 'po_ours' })
  expect(stripe.requests).toHaveLength(3)
  payouts(1_000)
  expect(await reconcile(payout)).toEqual(unknown('too_many_to_search'))
  expect(stripe.requests).toHaveLength(13)
})

test('clocks may differ by five minutes', async () => {
  await reconcile(payout, new Date('2026-11-21T12:00:00.999Z'))
  const since = Date.parse('2026-11-21T11:55:00Z') / 1000
  expect(stripe.requests[0]!.parameters).toMatchObject({ 'created[gte]': String(since), limit: '100' })
})

test('a call that is found with other content is unknown', async () => {
  made('po_ours', 'uuid-1', { amount: 9_999 })
  expect(await reconcile(payout)).toEqual(unknown('unexpected_answer'))
})

test('a paid or expired checkout is found without its page', async () => {
  stripe.add({
    id: 'cs_1',
    object: 'checkout.session',
    amount_total: 2_100,
    currency: 'eur',
    status: 'complete',
    url: null,
    metadata: { action_id: 'uuid-1' },
  })
  const found = { state: 'ok', id: 'cs_1', status: 'complete', amountCents: 2_100, currency: 'eur' }
  expect(await reconcile(checkout)).toEqual(found)
})

test('a provider that does not answer, refuses or answers something else leaves it unknown', async () => {
  stripe.failNext('GET', refusal(500, 'api_error'), refusal(401, 'invalid_request_error'))
  stripe.failNext('GET', refusal(429, 'invalid_request_error', 'rate_limit'), faulty.answer(404, {}))
  expect(await reconcile(payout)).toEqual(unknown('api_error'))
  expect(await reconcile(payout)).toEqual(unknown('authentication_error'))
  expect(await reconcile(payout)).toEqual(unknown('rate_limit'))
  expect(await reconcile(payout)).toEqual(unknown('unexpected_answer'))
  expect(await provider().reconcile(payout, attemptedAt, AbortSignal.abort())).toEqual(unknown('cancelled'))
})

function payouts(count: number): void {
  for (let index = 0; index < count; index += 1) made(`po_${stripe.objects.size}`, 'uuid-other')
}

function made(id: string, action_id: string, fields: object = {}): void {
  const metadata = { action_id }
  stripe.add({ id, object: 'payout', amount: 2_500, currency: 'usd', status: 'paid', metadata, ...fields })
}

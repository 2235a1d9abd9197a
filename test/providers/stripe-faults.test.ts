import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Stripe } from 'stripe'
import type { BillingCall } from '../../src/providers/billing.ts'
import { stripeProvider } from '../../src/providers/stripe/provider.ts'
import * as faulty from '../support/fault-provider.ts'
import { refusal, startStripeFaultServer, type StripeFaultServer } from '../support/stripe-fault-server.ts'
import { timeoutMsFor } from './slices.ts'
import { testRows } from '../support/rows.ts'

const { answer } = faulty
let stripe: StripeFaultServer
const setUp = async () => {
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
}
beforeEach(setUp)
const tearDown = () => stripe.stop()
afterEach(tearDown)

const providerWith = ({ timeoutMs = 20_000 } = {}) =>
  stripeProvider({ apiKey: 'rk_test_1', apiBase: stripe.apiBase, timeoutMs })

const payout: BillingCall = { type: 'payout', reference: 'uuid-1', amountCents: 2_500, currency: 'usd' }
const refund: BillingCall = {
  type: 'refund',
  reference: 'uuid-1',
  payment: 'pi_1',
  amountCents: 1_200,
  currency: 'usd',
}
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
const key = 'act_uuid-1_call'
const first = { isRepeat: false }
const again = { isRepeat: true }
const paid = { object: 'payout', id: 'po_9', amount: 2_500, currency: 'usd', status: 'pending' }

describe('a payout whose fate is open is unknown, and its repeat under the key pays once', () => {
  const done = { work: true }
  const rows: [string, faulty.Fault, string][] = [
    ['dropped before the work', faulty.drop, 'connection_lost'],
    ['dropped after the work', faulty.workThenDrop, 'connection_lost'],
    ['hanging before the work', faulty.hang, 'timeout'],
    ['hanging after the work', faulty.workThenHang, 'timeout'],
    ['body cut off', faulty.cutBody, 'connection_lost'],
    ['body dripping past the timeout', faulty.drip, 'timeout'],
    ['200 with HTML', faulty.html200, 'api_error'],
    ['200 with null', answer(200, 'null', done), 'api_error'],
    ['200 with a bare string', answer(200, '"ok"', done), 'api_error'],
    ['200 with a list', answer(200, [], done), 'unexpected_answer'],
    ['502 with HTML', answer(502, '<html>no</html>', done), 'api_error'],
    ['429 with HTML', answer(429, '<html>slow down</html>'), 'api_error'],
    ['500', refusal(500, 'api_error', undefined, done), 'api_error'],
    [
      '500 that names a refusal',
      refusal(500, 'invalid_request_error', 'amount_too_large', done),
      'amount_too_large',
    ],
    ['503 with JSON without error', answer(503, { message: 'no' }, done), 'unexpected_answer'],
    ['404 with JSON without error', answer(404, { ok: false }), 'unexpected_answer'],
    ['402 that is an API error', refusal(402, 'api_error', 'processing_error', done), 'processing_error'],
    ['403 from a proxy', refusal(403, 'blocked'), 'permission_error'],
    ['400 with a word for an error', answer(400, { error: 'bad_request' }), 'o_auth_error'],
    ['424 of a bank', refusal(424, 'invalid_request_error'), 'api_error'],
    ['the key in use', refusal(409, 'idempotency_error', 'idempotency_key_in_use'), 'idempotency_key_in_use'],
    [
      'the key in use, as a 400',
      refusal(400, 'invalid_request_error', 'idempotency_key_in_use'),
      'idempotency_key_in_use',
    ],
    ['the key used for something else', refusal(400, 'idempotency_error'), 'idempotency_error'],
    ['another object', answer(200, { ...paid, object: 'refund' }, done), 'unexpected_answer'],
    ['an id of another object', answer(200, { ...paid, id: 're_9' }, done), 'unexpected_answer'],
    ['another amount', answer(200, { ...paid, amount: 25 }, done), 'unexpected_answer'],
    ['an amount in parts of a cent', answer(200, { ...paid, amount: 2_500.5 }, done), 'unexpected_answer'],
    ['an amount as text', answer(200, { ...paid, amount: '2500' }, done), 'unexpected_answer'],
    ['another currency', answer(200, { ...paid, currency: 'eur' }, done), 'unexpected_answer'],
    [
      'a number that is rounded',
      answer(200, JSON.stringify(paid).replace('}', ',"arrival_date":12345678901234567890}'), done),
      'api_error',
    ],
    ['an amount twice', answer(200, JSON.stringify(paid).replace('{', '{"amount":1,'), done), 'api_error'],
    ['no status', answer(200, { ...paid, status: null }, done), 'unexpected_answer'],
  ]
  testRows(rows, [tearDown, setUp])('whatever the fault', async (_name, fault, code) => {
    stripe.failNext('POST /v1/payouts', fault)
    const provider = providerWith({ timeoutMs: timeoutMsFor(fault) })
    expect(await provider.perform(payout, key, first)).toEqual({ state: 'unknown', code })
    expect(stripe.requests).toHaveLength(1)

    const repeated = await providerWith().perform(payout, key, again)
    expect(repeated).toEqual({
      state: 'ok',
      id: expect.stringMatching(/^po_/),
      status: 'pending',
      amountCents: 2_500,
      currency: 'usd',
    })
    expect(stripe.ofType('payout')).toHaveLength(1)
    const [one, two] = stripe.requests
    expect(two).toMatchObject({ key, parameters: one!.parameters })
  })
})

test('the SDK would send a dropped call twice; the provider sends it once, and a read twice', async () => {
  const { port } = new URL(stripe.apiBase)
  const sdk = new Stripe('sk_test_1', { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 })
  stripe.failNext('POST /v1/refunds', faulty.workThenDrop)
  await sdk.refunds.create({ payment_intent: 'pi_1', amount: 1 }, { idempotencyKey: 'k' })
  expect(stripe.requestsBy('POST').map((request) => request.key)).toEqual(['k', 'k'])

  stripe.failNext('POST /v1/refunds', faulty.workThenDrop, faulty.drop)
  expect(await providerWith().perform(refund, key, first)).toMatchObject({ state: 'unknown' })
  expect(stripe.requestsBy('POST')).toHaveLength(3)

  stripe.failNext('GET /v1/prices', faulty.drop)
  expect(await providerWith().readPrice('price_none')).toBeUndefined()
  expect(stripe.requestsBy('GET')).toHaveLength(2)
})

test('a refusal of the second try cannot hide that the first was done', async () => {
  stripe.failNext('POST /v1/payouts', faulty.workThenDrop, refusal(401, 'invalid_request_error'))
  expect((await providerWith().perform(payout, key, first)).state).toBe('unknown')
})

testRows<[unknown, string | undefined]>(
  [
    [
      'Refund amount ($250.00) is greater than unrefunded amount on charge ($235.00)',
      'Refund amount ($250.00) is greater than unrefunded amount on charge ($235.00)',
    ],
    ['Two\nlines\tand a zero\u200bwidth, \u202eturned', 'Two lines and a zero⟨U+200B⟩width, ⟨U+202E⟩turned'],
    [
      'Invalid API Key provided: sk_test_51Habc*****xyz, rk_live_9',
      'Invalid API Key provided: sk_test_…, rk_live_…',
    ],
    ['x'.repeat(5_000), `${'x'.repeat(299)}…`],
    ['🦊'.repeat(5_000), `${'🦊'.repeat(299)}…`],
    ['  ', undefined],
    [7, undefined],
    [undefined, undefined],
  ],
  [tearDown, setUp],
)(
  'what Stripe says of a refusal is one bounded line without what cannot be seen, and without keys',
  async (message, says) => {
    stripe.failNext('POST /v1/payouts', answer(400, { error: { type: 'invalid_request_error', message } }))
    const outcome = await providerWith().perform(payout, key, first)
    expect(outcome).toMatchObject({ state: 'not_done', code: 'invalid_request_error' })
    expect((outcome as { says?: string }).says).toBe(says)
  },
)

describe('a refused call is not done, with its code; whether an earlier one would have been replayed is said', () => {
  const invalid = 'invalid_request_error'
  const considered = { isConsidered: true }
  testRows<[number, string, string | undefined, string, object]>(
    [
      [400, invalid, 'amount_too_large', 'amount_too_large', considered],
      [400, invalid, undefined, invalid, considered],
      [404, invalid, 'resource_missing', 'resource_missing', considered],
      [402, invalid, 'balance_insufficient', 'balance_insufficient', considered],
      [402, 'card_error', 'card_declined', 'card_declined', considered],
      [402, 'card_error', undefined, 'card_error', considered],
      [400, invalid, 'No such payout: ada@example.com', invalid, considered],
      [400, invalid, 'livemode_mismatch', 'livemode_mismatch', {}],
      [401, invalid, undefined, 'authentication_error', {}],
      [401, invalid, 'api_key_expired', 'api_key_expired', {}],
      [403, invalid, undefined, 'permission_error', {}],
    ],
    [tearDown, setUp],
  )('by status and type', async (status, type, given, code, said) => {
    stripe.failNext('POST /v1/payouts', refusal(status, type, given))
    const says = 'No such customer: ada@example.com'
    expect(await providerWith().perform(payout, key, first)).toEqual({
      state: 'not_done',
      code,
      says,
      ...said,
    })
    expect(stripe.requests).toHaveLength(1)
  })

  test('a replayed refusal is of the earlier call, whatever it is', async () => {
    const headers = { 'idempotent-replayed': 'true' }
    stripe.failNext('POST /v1/payouts', refusal(403, invalid, undefined, { headers }))
    expect(await providerWith().perform(payout, key, again)).toMatchObject({ isConsidered: true })
  })
})

describe('a rate limit is not done and says when to come back', () => {
  testRows<[string, faulty.Fault, string, number]>(
    [
      ['Retry-After', limit('rate_limit', { 'retry-after': '4' }), 'rate_limit', 4_000],
      ['nothing', limit(undefined), 'rate_limit_error', 2_000],
      ['a lock', limit('lock_timeout'), 'lock_timeout', 2_000],
      ['a Retry-After of a week', limit('rate_limit', { 'retry-after': '604800' }), 'rate_limit', 3_600_000],
      ['a date', limit('rate_limit', { 'retry-after': 'Sat, 21 Nov 2026' }), 'rate_limit', 2_000],
    ],
    [tearDown, setUp],
  )('as its headers say', async (_name, fault, code, retryAfterMs) => {
    stripe.failNext('POST /v1/payouts', fault)
    expect(await providerWith().perform(payout, key, first)).toEqual({
      state: 'not_done',
      code,
      retryAfterMs,
    })
    expect(await providerWith().perform(payout, key, first)).toMatchObject({ state: 'ok' })
  })

  function limit(code: string | undefined, headers: Record<string, string> = {}): faulty.Fault {
    return refusal(429, 'invalid_request_error', code, { headers })
  }
})

test('where there was no connection, nothing was done', async () => {
  await stripe.stop()
  const unreachable = { state: 'not_done', code: 'unreachable', retryAfterMs: 5_000 }
  expect(await providerWith().perform(payout, key, first)).toEqual(unreachable)
  stripe = await startStripeFaultServer()
})

test('a cancelled call: before it leaves not done, under way unknown', async () => {
  const provider = providerWith({ timeoutMs: 60_000 })
  const signal = AbortSignal.abort()
  const outcome = await provider.perform(payout, key, { isRepeat: false, signal })
  expect(outcome).toEqual({ state: 'not_done', code: 'cancelled', retryAfterMs: 0 })
  expect(stripe.requests).toHaveLength(0)

  stripe.failNext('POST /v1/payouts', faulty.workThenHang)
  const stop = new AbortController()
  const performing = provider.perform(payout, key, { isRepeat: false, signal: stop.signal })
  await stripe.arrived('POST /v1/payouts')
  stop.abort()
  expect(await performing).toEqual({ state: 'unknown', code: 'cancelled' })
})

describe('the frozen call is sent, and nothing else', () => {
  const sent = async (call: BillingCall) => {
    expect(await providerWith().perform(call, key, first)).toMatchObject({ state: 'ok' })
    return stripe.requests[0]!.parameters
  }

  test('a refund of a payment', async () => {
    expect(await sent({ ...refund, reason: 'duplicate' })).toEqual({
      payment_intent: 'pi_1',
      amount: '1200',
      reason: 'duplicate',
      'metadata[action_id]': 'uuid-1',
    })
  })

  test('a refund of a charge', async () => {
    const parameters = await sent({ ...refund, payment: 'ch_1' })
    expect(parameters).toEqual({ charge: 'ch_1', amount: '1200', 'metadata[action_id]': 'uuid-1' })
  })

  test('a payout', async () => {
    expect(await sent({ ...payout, description: 'May' })).toEqual({
      amount: '2500',
      currency: 'usd',
      method: 'standard',
      description: 'May',
      'metadata[action_id]': 'uuid-1',
    })
  })

  test('a checkout of an amount', async () => {
    expect(await sent({ ...checkout, customer: 'cus_1' })).toEqual({
      mode: 'payment',
      'line_items[0][price_data][currency]': 'eur',
      'line_items[0][price_data][unit_amount]': '700',
      'line_items[0][price_data][product_data][name]': 'Tea',
      'line_items[0][quantity]': '3',
      customer: 'cus_1',
      success_url: 'https://gate.example/done',
      cancel_url: 'https://gate.example/done?cancelled=1',
      client_reference_id: 'uuid-1',
      'metadata[action_id]': 'uuid-1',
    })
  })

  test('a checkout of a price', async () => {
    const item = { price: 'price_1' }
    const parameters = await sent({
      ...checkout,
      mode: 'subscription',
      item,
      totalCents: 3_000,
      currency: 'usd',
    })
    expect(parameters).toMatchObject({
      mode: 'subscription',
      'line_items[0][price]': 'price_1',
      'line_items[0][quantity]': '3',
    })
  })
})

describe('an answer is believed only if it is what was asked for', () => {
  const made = { object: 'refund', id: 're_9', amount: 1_200, currency: 'usd', payment_intent: 'pi_1' }
  const page = {
    object: 'checkout.session',
    id: 'cs_9',
    amount_total: 2_100,
    currency: 'eur',
    status: 'open',
  }
  const url = 'https://checkout.stripe.com/c/pay/cs_9'
  const hostile = ['javascript:alert(1)', 'http://checkout.example/c', 'not a url']
  testRows<[string, BillingCall, object]>(
    [
      ['a refund of another payment', refund, { ...made, status: 'succeeded', payment_intent: 'pi_2' }],
      ['a refund of another amount', refund, { ...made, status: 'succeeded', amount: 5_000 }],
      ['a refund in another currency', refund, { ...made, status: 'succeeded', currency: 'eur' }],
      ['a checkout of another total', checkout, { ...page, url, amount_total: 2_101 }],
      ['a checkout in another currency', checkout, { ...page, url, currency: 'usd' }],
      ['an open checkout without a page', checkout, { ...page, url: null }],
      ...hostile.map((given): [string, BillingCall, object] => [given, checkout, { ...page, url: given }]),
    ],
    [tearDown, setUp],
  )('any other is unknown', async (_name, call, body) => {
    stripe.failNext('POST', answer(200, body, { work: true }))
    const outcome = await providerWith().perform(call, key, first)
    expect(outcome).toEqual({ state: 'unknown', code: 'unexpected_answer' })
  })

  testRows(['pending', 'requires_action', 'succeeded', 'failed', 'canceled'], [tearDown, setUp])(
    'a refund was made in any state, and says so',
    async (status) => {
      stripe.failNext('POST', answer(200, { ...made, status }))
      const outcome = await providerWith().perform(refund, key, first)
      expect(outcome).toEqual({ state: 'ok', id: 're_9', status, amountCents: 1_200, currency: 'usd' })
    },
  )

  test('a checkout gives its page, its total and its currency', async () => {
    stripe.failNext('POST', answer(200, { ...page, url }))
    const outcome = await providerWith().perform(checkout, key, first)
    expect(outcome).toEqual({
      state: 'ok',
      id: 'cs_9',
      status: 'open',
      amountCents: 2_100,
      currency: 'eur',
      url,
    })
  })
})

test('the address of the provider is ours, whatever the environment says', async () => {
  process.env['STRIPE_API_KEY'] = 'sk_live_other'
  try {
    expect(await providerWith().perform(payout, key, first)).toMatchObject({ state: 'ok' })
    expect(stripe.requests[0]!.headers['authorization']).toBe('Bearer rk_test_1')
    expect(stripe.requests[0]!.headers['stripe-version']).toBe('2026-10-28.endive')
  } finally {
    delete process.env['STRIPE_API_KEY']
  }
})

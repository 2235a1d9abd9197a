import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { BillingError } from '../../src/providers/billing.ts'
import { stripeAddress } from '../../src/providers/stripe/address.ts'
import { checkStripeKey } from '../../src/providers/stripe/key.ts'
import { stripeProvider } from '../../src/providers/stripe/provider.ts'
import * as faulty from '../support/fault-provider.ts'
import { refusal, startStripeFaultServer, type StripeFaultServer } from '../support/stripe-fault-server.ts'
import { testRows } from '../support/rows.ts'

let stripe: StripeFaultServer
const setUp = async () => void (stripe = await startStripeFaultServer())
beforeEach(setUp)
const tearDown = () => stripe.stop()
afterEach(tearDown)

const provider = ({ timeoutMs = 20_000 } = {}) =>
  stripeProvider({ apiKey: 'rk_test_1', apiBase: stripe.apiBase, timeoutMs })

const common = {
  currency: 'usd',
  status: 'succeeded',
  customer: 'cus_1',
  description: 'Tea',
  created: 1_700_000_000,
}
const monthly = { interval: 'month', interval_count: 1, usage_type: 'licensed' }
const plain = {
  object: 'price',
  id: 'price_1',
  active: true,
  currency: 'usd',
  billing_scheme: 'per_unit',
  unit_amount: 1_000,
  recurring: monthly as object | null,
}

function payment(id: string, intent: object, charge: Record<string, unknown> | null): void {
  const chargeId = `ch_of_${id}`
  const latest_charge = charge && chargeId
  stripe.add({ ...common, id, object: 'payment_intent', amount_received: 5_000, latest_charge, ...intent })
  const whole = { amount: 5_000, amount_captured: 5_000, amount_refunded: 0 }
  if (charge)
    stripe.add({ ...common, id: chargeId, object: 'charge', ...whole, payment_intent: id, ...charge })
}

function subscription(items: object[], { has_more = false } = {}): void {
  stripe.add({
    id: 'sub_1',
    object: 'subscription',
    status: 'active',
    cancel_at_period_end: false,
    currency: 'usd',
    customer: { id: 'cus_1', object: 'customer' },
    items: { object: 'list', data: items, has_more },
  })
}

const item = (price: object = {}, fields: object = { quantity: 1 }) => ({
  object: 'subscription_item',
  id: `si_${Math.random().toString(36).slice(2)}`,
  price: { ...plain, ...price },
  ...fields,
})

describe('a payment', () => {
  const whole = {
    id: 'pi_1',
    amountCents: 5_000,
    refundedCents: 0,
    currency: 'usd',
    status: 'succeeded',
    customer: 'cus_1',
    description: 'Tea',
    createdAt: new Date(1_700_000_000_000),
  }

  test('is what came in and what of it went back', async () => {
    payment('pi_1', {}, { amount_refunded: 1_500 })
    expect(await provider().readPayment('pi_1')).toEqual({ ...whole, refundedCents: 1_500 })
  })

  test('that was captured in part: the rest never came in, and did not go back', async () => {
    payment(
      'pi_1',
      { amount_received: 20_300 },
      { amount: 20_675, amount_captured: 20_300, amount_refunded: 375 },
    )
    expect(await provider().readPayment('pi_1')).toMatchObject({ amountCents: 20_300, refundedCents: 0 })
    payment(
      'pi_1',
      { amount_received: 20_300 },
      { amount: 20_675, amount_captured: 20_300, amount_refunded: 475 },
    )
    expect(await provider().readPayment('pi_1')).toMatchObject({ amountCents: 20_300, refundedCents: 100 })
  })

  test('that was not made has neither', async () => {
    payment(
      'pi_1',
      { amount_received: 0, status: 'requires_payment_method', customer: null, description: null },
      null,
    )
    expect(await provider().readPayment('pi_1')).toEqual({
      ...whole,
      amountCents: 0,
      status: 'requires_payment_method',
      customer: null,
      description: null,
    })
  })

  test('by its charge is the same payment', async () => {
    payment('pi_1', {}, {})
    expect(await provider().readPayment('ch_of_pi_1')).toEqual(whole)
  })

  test('of a charge alone goes by the charge', async () => {
    payment('pi_1', {}, { payment_intent: null, amount_refunded: 10 })
    expect(await provider().readPayment('ch_of_pi_1')).toEqual({
      ...whole,
      id: 'ch_of_pi_1',
      refundedCents: 10,
    })
  })

  test('that does not exist is undefined, and an id of something else asks nobody', async () => {
    expect(await provider().readPayment('pi_none')).toBeUndefined()
    expect(await provider().readPayment('ch_none')).toBeUndefined()
    const asked = stripe.requests.length
    for (const id of ['', 'pi_', 'sub_1', 'pi_1/../../v1/balance', 'pi_1?x=1', 'pi_1\n'])
      expect(await provider().readPayment(id)).toBeUndefined()
    expect(stripe.requests).toHaveLength(asked)
  })

  test('whose charge is only named is not believed', async () => {
    payment('pi_1', {}, {})
    stripe.objects.delete('ch_of_pi_1')
    await expect(provider().readPayment('pi_1')).rejects.toMatchObject({ code: 'unexpected_answer' })
    payment('pi_1', {}, null)
    await expect(provider().readPayment('pi_1')).rejects.toMatchObject({ code: 'unexpected_answer' })
  })

  const amounts: [unknown, string][] = [
    [-1, 'unexpected_answer'],
    [0.5, 'unexpected_answer'],
    ['5000', 'unexpected_answer'],
    [null, 'unexpected_answer'],
    // Readers of JSON round it: nothing of the answer is read.
    [2 ** 53, 'api_error'],
  ]
  testRows(amounts, [tearDown, setUp])(
    'of an amount that cannot be is not believed',
    async (amount_received, code) => {
      payment('pi_1', { amount_received }, {})
      const failed = { reason: 'unavailable', code }
      await expect(provider().readPayment('pi_1')).rejects.toMatchObject(failed)
    },
  )
})

test('payments are listed newest first, a page after the other, of one customer if asked', async () => {
  for (const id of ['pi_1', 'pi_2', 'pi_3']) payment(id, {}, { amount_refunded: 1 })
  payment('pi_4', { customer: 'cus_2' }, {})
  const page = await provider().listPayments({ limit: 2, customer: 'cus_1' })
  expect(page.payments.map(({ id, refundedCents }) => [id, refundedCents])).toEqual([
    ['pi_3', 1],
    ['pi_2', 1],
  ])
  expect(page.hasMore).toBe(true)
  const rest = await provider().listPayments({ limit: 2, customer: 'cus_1', after: 'pi_2' })
  expect(rest).toMatchObject({ payments: [{ id: 'pi_1' }], hasMore: false })
})

describe('a subscription', () => {
  test('costs what all its items cost in a period', async () => {
    subscription([item(), item({ unit_amount: 250 }, { quantity: 4 })])
    expect(await provider().readSubscription('sub_1')).toEqual({
      id: 'sub_1',
      status: 'active',
      isEndingAtPeriodEnd: false,
      recurringCents: 2_000,
      currency: 'usd',
      interval: 'month',
      customer: 'cus_1',
      products: [],
      periodEndsAt: undefined,
    })
  })

  testRows<[string, object]>(
    [
      ['tiers', item({ billing_scheme: 'tiered', unit_amount: null })],
      ['parts of a cent', item({ unit_amount: null })],
      ['packages', item({ transform_quantity: { divide_by: 10, round: 'up' } })],
      ['what the customer chooses', item({ custom_unit_amount: { minimum: 100 } })],
      ['use', item({ recurring: { ...monthly, usage_type: 'metered' } }, {})],
      ['no quantity', item({}, {})],
      ['another period', item({ recurring: { ...monthly, interval: 'year' } })],
      ['another number of periods', item({ recurring: { ...monthly, interval_count: 3 } })],
      ['another currency', item({ currency: 'eur' })],
      ['more than can be counted', item({ unit_amount: 2 ** 52 }, { quantity: 4 })],
    ],
    [tearDown, setUp],
  )('with an item that has no fixed price has no cost that can be weighed', async (_name, priced) => {
    subscription([item(), priced])
    expect(await provider().readSubscription('sub_1')).toMatchObject({
      recurringCents: undefined,
      interval: 'month',
    })
  })

  test('with more items than fit its answer is read to the end, or not weighed', async () => {
    const items = Array.from({ length: 150 }, () => item())
    subscription(items.slice(0, 10), { has_more: true })
    for (const each of items.toReversed()) stripe.add({ ...each, subscription: 'sub_1' })
    expect(await provider().readSubscription('sub_1')).toMatchObject({ recurringCents: 150_000 })

    const many = Array.from({ length: 600 }, () => item())
    for (const each of many) stripe.add({ ...each, subscription: 'sub_1' })
    subscription(many.slice(-1), { has_more: true })
    expect(await provider().readSubscription('sub_1')).toMatchObject({ recurringCents: undefined })
  })

  test('that does not exist is undefined', async () => {
    expect(await provider().readSubscription('sub_none')).toBeUndefined()
    expect(await provider().readSubscription('cus_1')).toBeUndefined()
  })
})

test('a price is its amount, if it has a fixed one', async () => {
  stripe.add({ ...plain, recurring: null })
  const once = { id: 'price_1', isActive: true, unitCents: 1_000, currency: 'usd', isRecurring: false }
  expect(await provider().readPrice('price_1')).toEqual(once)
  stripe.add({ ...plain, active: false, billing_scheme: 'tiered', unit_amount: null })
  const tiered = { ...once, isActive: false, unitCents: undefined, isRecurring: true }
  expect(await provider().readPrice('price_1')).toEqual(tiered)
  expect(await provider().readPrice('price_none')).toBeUndefined()
})

describe('the names of what an object refers to', () => {
  const acme = { id: 'cus_1', object: 'customer', name: 'Acme', email: null }

  test('come with it in the same request', async () => {
    payment('pi_1', { customer: acme }, {})
    expect(await provider().readPayment('pi_1')).toMatchObject({
      customer: 'cus_1',
      customerDetails: { id: 'cus_1', name: 'Acme', email: null },
    })
    subscription([
      item(
        { product: { id: 'prod_1', object: 'product', name: 'Team plan' } },
        { quantity: 1, current_period_end: 1_700_000_000 },
      ),
    ])
    expect(await provider().readSubscription('sub_1')).toMatchObject({
      products: ['Team plan'],
      periodEndsAt: new Date(1_700_000_000_000),
    })
    stripe.add({ ...plain, product: { id: 'prod_1', object: 'product', name: 'Kit' } })
    expect(await provider().readPrice('price_1')).toMatchObject({ product: 'Kit' })
    expect(stripe.requests).toHaveLength(3)
    expect(stripe.requests[0]!.parameters).toMatchObject({
      'expand[0]': 'latest_charge',
      'expand[1]': 'customer',
    })
  })

  test('are left out where the key may not read them, or they are of another shape', async () => {
    payment('pi_1', {}, {})
    stripe.faultFor = ({ parameters }) =>
      'expand[1]' in parameters ? refusal(403, 'invalid_request_error') : undefined
    const found = await provider().readPayment('pi_1')
    expect([found!.amountCents, found!.customerDetails]).toEqual([5_000, undefined])
    stripe.faultFor = () => undefined
    for (const customer of [null, 'cus_1', { id: 'cus_1', deleted: true }, { id: 'cus_1', name: 7 }]) {
      payment('pi_1', { customer }, {})
      expect((await provider().readPayment('pi_1'))!.customerDetails).toBeUndefined()
    }
    stripe.add({ ...plain, product: { id: 'prod_1', deleted: true } })
    expect(await provider().readPrice('price_1')).not.toHaveProperty('product')
  })
})

describe('a read that fails says whether another try may help, in a code', () => {
  const invalid = 'invalid_request_error'
  const unavailable = { reason: 'unavailable', retryAfterMs: undefined }
  testRows<[string, faulty.Fault, object]>(
    [
      ['a bad key', refusal(401, invalid), { reason: 'refused', code: 'authentication_error' }],
      ['no permission', refusal(403, invalid), { reason: 'refused', code: 'permission_error' }],
      [
        'a refusal',
        refusal(400, invalid, 'parameter_unknown'),
        { reason: 'refused', code: 'parameter_unknown' },
      ],
      [
        'a rate limit',
        refusal(429, invalid, 'rate_limit', { headers: { 'retry-after': '7' } }),
        { reason: 'unavailable', code: 'rate_limit', retryAfterMs: 7_000 },
      ],
      ['500', refusal(500, 'api_error'), { ...unavailable, code: 'api_error' }],
      ['HTML', faulty.html200, { ...unavailable, code: 'api_error' }],
      ['a bare string', faulty.answer(200, '"ok"'), { ...unavailable, code: 'api_error' }],
      ['404 without error', faulty.answer(404, { ok: false }), { ...unavailable, code: 'unexpected_answer' }],
      ['silence', faulty.hang, { ...unavailable, code: 'timeout' }],
      ['a drip', faulty.drip, { ...unavailable, code: 'timeout' }],
    ],
    [tearDown, setUp],
  )('whatever the fault', async (_name, fault, failed) => {
    payment('pi_1', {}, {})
    const impatient = provider({ timeoutMs: ['hang', 'drip'].includes(fault.kind) ? 300 : 20_000 })
    // A refused permission is asked for once more, without the names of what it refers to.
    stripe.failNext('GET', fault, fault, fault)
    const reads = [() => impatient.readPayment('pi_1'), () => impatient.listPayments({ limit: 10 })]
    for (const read of reads) {
      const error: unknown = await read().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(BillingError)
      expect(error).toMatchObject(failed)
      expect(JSON.stringify([error, String(error)])).not.toContain('ada@example.com')
    }
  })
})

describe('a key is checked by one read', () => {
  testRows<[string, faulty.Fault | undefined, unknown]>(
    [
      ['a good one', undefined, 'ok'],
      ['a wrong one', refusal(401, 'invalid_request_error'), { refused: 'authentication_error' }],
      [
        'an expired one',
        refusal(401, 'invalid_request_error', 'api_key_expired'),
        { refused: 'api_key_expired' },
      ],
      ['one that may not', refusal(403, 'invalid_request_error'), { refused: 'permission_error' }],
      [
        'none, by a limit',
        refusal(429, 'invalid_request_error', 'rate_limit'),
        { unavailable: 'rate_limit' },
      ],
      ['none, by a fault', refusal(500, 'api_error'), { unavailable: 'api_error' }],
      ['none, by a stranger', faulty.answer(404, { ok: false }), { unavailable: 'unexpected_answer' }],
    ],
    [tearDown, setUp],
  )('and is good, refused, or not known to be either', async (_name, fault, outcome) => {
    if (fault) stripe.failNext('GET /v1/balance', fault)
    expect(await checkStripeKey('rk_test_1', { apiBase: stripe.apiBase })).toEqual(outcome)
    expect(stripe.requests.map(({ call }) => call)).toEqual(['GET /v1/balance'])
  })

  test('what cannot be one is refused before anybody is asked, and makes no provider', async () => {
    expect(await checkStripeKey('pk_live_1', { apiBase: stripe.apiBase })).toEqual({
      refused: 'publishable_key',
    })
    for (const apiKey of ['', 'rk_', 'whsec_1', 'rk_test_1\r\nX: y', ' sk_test_1'])
      expect(await checkStripeKey(apiKey, { apiBase: stripe.apiBase })).toEqual({
        refused: 'invalid_key_format',
      })
    expect(stripe.requests).toHaveLength(0)
    expect(() => stripeProvider({ apiKey: 'pk_live_1' })).toThrow(/restricted key .* or a secret key/)
  })
})

describe('the key goes to Stripe, by https, or stays on the machine', () => {
  testRows(
    [
      [undefined, { protocol: 'https', host: 'api.stripe.com', port: 443 }],
      ['https://stripe.internal:8443', { protocol: 'https', host: 'stripe.internal', port: 8_443 }],
      ['http://localhost:12111/', { protocol: 'http', host: 'localhost', port: 12_111 }],
      ['http://127.0.0.53', { protocol: 'http', host: '127.0.0.53', port: 80 }],
      ['http://[::1]:9', { protocol: 'http', host: '::1', port: 9 }],
      [new URL('https://api.stripe.com'), { protocol: 'https', host: 'api.stripe.com', port: 443 }],
    ],
    [tearDown, setUp],
  )('an address that it may go to', (apiBase, address) => expect(stripeAddress(apiBase)).toEqual(address))

  testRows(
    [
      'http://api.stripe.com',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'http://0.0.0.0:1',
      'ftp://localhost',
      'api.stripe.com',
      'https://api.stripe.com/v1',
      'https://api.stripe.com?x=1',
      'https://user:secret@api.stripe.com',
    ],
    [tearDown, setUp],
  )('any other is refused', (apiBase) => {
    expect(() => stripeProvider({ apiKey: 'sk_test_1', apiBase })).toThrow(/^STRIPE_API_BASE must be/)
  })
})

import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { Stripe } from 'stripe'
import type { BillingCall, BillingProvider } from '../../src/providers/billing.ts'
import { checkStripeKey } from '../../src/providers/stripe/key.ts'
import { stripeProvider } from '../../src/providers/stripe/provider.ts'

// Against Stripe's own test mode: `STRIPE_TEST_KEY=sk_test_… npm run test:live`. It makes test payments and refunds them.
const apiKey = process.env['STRIPE_TEST_KEY'] ?? ''
let provider: BillingProvider
let stripe: Stripe
beforeAll(() => {
  if (!/^(sk|rk)_test_/.test(apiKey))
    throw new Error('Set STRIPE_TEST_KEY to a key of test mode (sk_test_… or rk_test_…).')
  provider = stripeProvider({ apiKey })
  stripe = new Stripe(apiKey, { apiVersion: '2026-10-28.endive', telemetry: false })
})

const first = { isRepeat: false }
const call = <C extends object>(given: C) => ({ reference: randomUUID(), ...given }) as unknown as BillingCall
const keyOf = ({ reference }: BillingCall) => `act_${reference}_call`

async function paid(cents: number): Promise<string> {
  const intent = await stripe.paymentIntents.create({
    amount: cents,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    description: 'Qualification Gate live test',
  })
  return intent.id
}

test('the key is good, and a wrong one is refused', async () => {
  expect(await checkStripeKey(apiKey)).toBe('ok')
  expect(await checkStripeKey('sk_test_wrong')).not.toBe('ok')
})

test('a refund is made once under its key, is found again, and one too large is refused', async () => {
  const payment = await paid(1_000)
  expect(await provider.readPayment(payment)).toMatchObject({ amountCents: 1_000, refundedCents: 0 })
  const refund = call({ type: 'refund', payment, amountCents: 400, currency: 'usd' })
  const made = await provider.perform(refund, keyOf(refund), first)
  expect(made).toMatchObject({ state: 'ok', amountCents: 400 })
  expect(await provider.perform(refund, keyOf(refund), { isRepeat: true })).toEqual(made)
  expect(await provider.reconcile(refund, new Date())).toMatchObject({ state: 'ok' })
  expect(await provider.readPayment(payment)).toMatchObject({ refundedCents: 400 })
  const tooMuch = call({ type: 'refund', payment, amountCents: 601, currency: 'usd' })
  expect(await provider.perform(tooMuch, keyOf(tooMuch), first)).toMatchObject({ state: 'not_done' })
  const { payments } = await provider.listPayments({ limit: 5 })
  expect(payments.map(({ id }) => id)).toContain(payment)
})

test('a checkout answers its page', async () => {
  const checkout = call({
    type: 'checkout',
    mode: 'payment',
    item: { unitCents: 250, currency: 'usd', description: 'Tea' },
    quantity: 2,
    totalCents: 500,
    currency: 'usd',
    successUrl: 'https://example.com/checkout/done',
    cancelUrl: 'https://example.com/checkout/done?cancelled=1',
  })
  const made = await provider.perform(checkout, keyOf(checkout), first)
  expect(made).toMatchObject({ state: 'ok', amountCents: 500, url: expect.stringMatching(/^https:/) })
  expect(await provider.reconcile(checkout, new Date())).toMatchObject({ state: 'ok' })
})

test.each([true, false])('a subscription ends once (at the end of its period: %s)', async (atPeriodEnd) => {
  const customer = await stripe.customers.create({ name: 'Live test', payment_method: 'pm_card_visa' })
  const [card] = (await stripe.customers.listPaymentMethods(customer.id)).data
  const product = await stripe.products.create({ name: 'Live test' })
  const { id } = await stripe.subscriptions.create({
    customer: customer.id,
    default_payment_method: card!.id,
    items: [
      {
        price_data: {
          currency: 'usd',
          product: product.id,
          unit_amount: 700,
          recurring: { interval: 'month' },
        },
      },
    ],
  })
  expect(await provider.readSubscription(id)).toMatchObject({ recurringCents: 700, interval: 'month' })
  const cancellation = call({ type: 'cancel_subscription', subscription: id, atPeriodEnd })
  const made = await provider.perform(cancellation, keyOf(cancellation), first)
  expect(made).toMatchObject({ state: 'ok', status: atPeriodEnd ? 'active' : 'canceled' })
  expect(await provider.perform(cancellation, keyOf(cancellation), { isRepeat: true })).toEqual(made)
  const another = call({ type: 'cancel_subscription', subscription: id, atPeriodEnd })
  expect(await provider.perform(another, keyOf(another), first)).toMatchObject({ state: 'not_done' })
})

test('a payout that the balance does not cover is refused with its code', async () => {
  const payout = call({ type: 'payout', amountCents: 99_999_999, currency: 'usd' })
  expect(await provider.perform(payout, keyOf(payout), first)).toMatchObject({
    state: 'not_done',
    code: 'balance_insufficient',
  })
})

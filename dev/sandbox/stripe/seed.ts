import { aMonthAfter } from './clock.ts'
import { demoCustomers, demoPayments, demoPrices, demoProducts, demoSubscriptions } from './demo.ts'
import {
  type Customer,
  type Price,
  type Product,
  type StripeObject,
  stripeList,
  type Subscription,
} from './objects.ts'
import { makePayment } from './payments.ts'
import { makePrice } from './prices.ts'
import { makeRefund, refunded } from './refunds.ts'

/**
 * The Stripe objects of the demo account, oldest first, with fixed ids and amounts. Pure.
 * @param now whole seconds since 1970; all dates are before it
 */
export function stripeSeed(now: number): StripeObject[] {
  const ago = (days: number) => now - Math.round(days * secondsPerDay)
  const prices = demoPrices.map(({ interval, ...price }) =>
    makePrice({ ...price, created: ago(catalogDays), currency: 'usd' }, interval && { interval }),
  )
  return [
    { id: 'balance', object: 'balance', available: demoBalance },
    ...demoCustomers.map((customer) => demoCustomer(customer, ago(catalogDays))),
    ...demoProducts.map((product) => demoProduct(product, ago(catalogDays))),
    ...prices,
    ...demoSubscriptions.map((subscription) => demoSubscription(subscription, prices, ago)),
    ...demoPayments.flatMap((payment) => demoPayment(payment, ago)),
  ]
}

const secondsPerDay = 86_400
const catalogDays = 400

const demoBalance = [
  { amount: 25_000_000, currency: 'usd' },
  { amount: 100_000, currency: 'eur' },
]

type DaysAgo = (days: number) => number

function demoCustomer({ id, name }: (typeof demoCustomers)[number], created: number): Customer {
  const email = `billing@${name.toLowerCase().replaceAll(' ', '-')}.example`
  const unused = { balance: 0, delinquent: false, description: null, phone: null, shipping: null }
  return { ...unused, ...listed(id, created), object: 'customer', name, email } as Customer
}

function demoProduct({ id, name }: (typeof demoProducts)[number], created: number): Product {
  const unused = { description: null, images: [], marketing_features: [], type: 'service', url: null }
  return { ...unused, ...listed(id, created), object: 'product', name, active: true } as Product
}

function demoSubscription(
  { id, customer, price: priceId, sinceDays, cancelledDays }: (typeof demoSubscriptions)[number],
  prices: Price[],
  ago: DaysAgo,
): Subscription {
  const start = ago(sinceDays)
  const ended = cancelledDays === undefined ? null : ago(cancelledDays)
  const price = prices.find((each) => each.id === priceId)!
  const item = {
    ...listed(id.replace('sub_', 'si_'), start),
    object: 'subscription_item',
    billing_thresholds: null,
    current_period_start: start,
    current_period_end: aMonthAfter(start),
    discounts: [],
    price,
    quantity: 1,
    subscription: id,
    tax_rates: [],
  }
  const reason = ended === null ? null : 'cancellation_requested'
  return {
    ...ordinarySubscription,
    ...listed(id, start),
    object: 'subscription',
    billing_cycle_anchor: start,
    canceled_at: ended,
    cancellation_details: { comment: null, feedback: null, reason },
    currency: price.currency,
    customer,
    ended_at: ended,
    items: stripeList([item], `/v1/subscription_items?subscription=${id}`),
    start_date: start,
    status: ended === null ? 'active' : 'canceled',
  } as Subscription
}

const ordinarySubscription = {
  application: null,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null },
  billing_thresholds: null,
  cancel_at: null,
  cancel_at_period_end: false,
  collection_method: 'charge_automatically',
  days_until_due: null,
  default_payment_method: null,
  description: null,
  discounts: [],
  latest_invoice: null,
  on_behalf_of: null,
  pause_collection: null,
  pending_update: null,
  schedule: null,
  test_clock: null,
  trial_end: null,
  trial_start: null,
}

function demoPayment(payment: (typeof demoPayments)[number], ago: DaysAgo): StripeObject[] {
  const { daysAgo, currency = 'usd', isDeclined = false, refund, ...made } = payment
  const { intent, charge } = makePayment({ ...made, currency, isDeclined, created: ago(daysAgo) })
  if (!refund) return [intent, charge]
  const back = makeRefund(charge, {
    id: `re_${payment.name}`,
    amount: refund.amount,
    created: ago(refund.daysAgo),
    metadata: {},
    reason: 'requested_by_customer',
  })
  return [intent, refunded(charge, refund.amount), back]
}

const listed = (id: string, created: number) => ({ id, created, livemode: false, metadata: {} })

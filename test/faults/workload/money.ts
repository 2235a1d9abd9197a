import type { StripeFaultServer } from '../../support/stripe-fault-server.ts'

/** The tool of each kind that moves money. */
export const moneyKinds = {
  refund: 'issue_refund',
  payout: 'send_payout',
  checkout: 'create_checkout',
  subscription_cancellation: 'cancel_subscription',
} as const

export interface Money {
  kind: keyof typeof moneyKinds
  args: Record<string, unknown>
}

const monthly = { interval: 'month', interval_count: 1, usage_type: 'licensed' }

/** The arguments of one proposal. What it is about exists at Stripe for it alone. */
export function makeMoney(
  stripe: StripeFaultServer,
  kind: Money['kind'],
  { n, cents, isLater }: { n: number; cents: number; isLater: boolean },
): Money {
  switch (kind) {
    case 'refund':
      addPayment(stripe, n, cents)
      return { kind, args: { payment: `pi_${n}`, ...(isLater ? { amount_cents: cents - 100 } : {}) } }
    case 'payout':
      return { kind, args: { amount_cents: cents, description: `Payout ${n}` } }
    case 'checkout':
      return { kind, args: { amount_cents: cents, description: `Order ${n}` } }
    case 'subscription_cancellation':
      addSubscription(stripe, n, cents)
      return { kind, args: { subscription: `sub_${n}`, at_period_end: isLater } }
  }
}

function addPayment(stripe: StripeFaultServer, n: number, cents: number): void {
  const common = { currency: 'usd', status: 'succeeded', customer: `cus_${n}`, description: 'Tea' }
  stripe.add({
    ...common,
    id: `pi_${n}`,
    object: 'payment_intent',
    amount: cents,
    amount_received: cents,
    latest_charge: `ch_${n}`,
  })
  const whole = { amount: cents, amount_captured: cents, amount_refunded: 0, payment_intent: `pi_${n}` }
  stripe.add({ ...common, id: `ch_${n}`, object: 'charge', ...whole, refunded: false, paid: true })
}

function addSubscription(stripe: StripeFaultServer, n: number, cents: number): void {
  const price = {
    id: `price_${n}`,
    object: 'price',
    active: true,
    currency: 'usd',
    billing_scheme: 'per_unit',
    unit_amount: cents,
    recurring: monthly,
  }
  const item = { id: `si_${n}`, object: 'subscription_item', price, quantity: 1 }
  stripe.add({
    id: `sub_${n}`,
    object: 'subscription',
    status: 'active',
    cancel_at_period_end: false,
    currency: 'usd',
    customer: { id: `cus_${n}`, object: 'customer' },
    metadata: {},
    items: { object: 'list', data: [item], has_more: false },
  })
}

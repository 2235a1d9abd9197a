import { randomBase62 } from '../../../src/keys/api-key.ts'

/** The simulated objects by Stripe's type name, with the fields that are used here. */
export interface StripeObjects {
  balance: Balance
  customer: Customer
  product: Product
  price: Price
  payment_intent: PaymentIntent
  charge: Charge
  refund: Refund
  payout: Payout
  subscription: Subscription
  'checkout.session': CheckoutSession
}
export type StripeKind = keyof StripeObjects
export type StripeObject = StripeObjects[StripeKind]
/** Objects that exist in lists. */
export type ListedObject = Exclude<StripeObject, Balance>

export type Metadata = Record<string, string>

/** `created` and all other times are whole seconds since 1970; amounts are in the currency's smallest unit. */
interface Listed {
  id: string
  created: number
  metadata: Metadata
}

export interface Balance {
  id: 'balance'
  object: 'balance'
  available: { amount: number; currency: string }[]
}

export interface Customer extends Listed {
  object: 'customer'
  name: string
  email: string
}

export interface Product extends Listed {
  object: 'product'
  active: boolean
  name: string
}

export interface Price extends Listed {
  object: 'price'
  active: boolean
  currency: string
  product: string
  recurring: { interval: Interval; interval_count: number } | null
  type: 'one_time' | 'recurring'
  unit_amount: number
}
export type Interval = 'day' | 'week' | 'month' | 'year'

export interface PaymentIntent extends Listed {
  object: 'payment_intent'
  amount: number
  amount_received: number
  currency: string
  customer: string
  description: string
  latest_charge: string | null
  status: 'succeeded' | 'requires_payment_method'
}

export interface Charge extends Listed {
  object: 'charge'
  amount: number
  amount_refunded: number
  currency: string
  customer: string
  payment_intent: string
  refunded: boolean
  status: 'succeeded' | 'failed'
}

export interface Refund extends Listed {
  object: 'refund'
  amount: number
  charge: string
  currency: string
  payment_intent: string
  reason: string | null
  status: 'succeeded'
}

export interface Payout extends Listed {
  object: 'payout'
  amount: number
  currency: string
  description: string | null
  status: 'pending'
}

export interface Subscription extends Listed {
  object: 'subscription'
  cancel_at: number | null
  cancel_at_period_end: boolean
  canceled_at: number | null
  cancellation_details: { comment: string | null; feedback: string | null; reason: string | null }
  currency: string
  customer: string
  ended_at: number | null
  items: StripeList<SubscriptionItem>
  status: 'active' | 'canceled'
}

export interface SubscriptionItem extends Listed {
  object: 'subscription_item'
  current_period_start: number
  current_period_end: number
  price: Price
  quantity: number
  subscription: string
}

export interface CheckoutSession extends Listed {
  object: 'checkout.session'
  amount_total: number
  cancel_url: string | null
  currency: string
  expires_at: number
  /** Included only when expanded. */
  line_items: StripeList<LineItem>
  mode: 'payment' | 'subscription'
  status: 'open' | 'expired'
  success_url: string
  url: string | null
}

export interface LineItem {
  id: string
  object: 'item'
  amount_total: number
  currency: string
  description: string
  price: Price
  quantity: number
}

export interface StripeList<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  url: string
}

export function stripeList<T>(data: T[], url: string, hasMore = false): StripeList<T> {
  return { object: 'list', data, has_more: hasMore, url }
}

/** @param prefix  as Stripe's, with its underscore: `re_` */
export function newId(prefix: string, chars = 24): string {
  return prefix + randomBase62(chars)
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

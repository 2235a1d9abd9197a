/**
 * What the gate asks of a payment provider. Reads decide what a proposal weighs; a call moves money or changes a
 * subscription, once. Amounts are whole cents (the hundredth of a two-decimal currency), currencies lower-case ISO 4217.
 * @source docs/architecture.md#the-picture: freeze first, call once, three-valued outcome
 */
export interface BillingProvider {
  /** @returns undefined where there is no such payment. `id`: `pi_…` or `ch_…` */
  readPayment(id: string): Promise<Payment | undefined>
  /** @returns undefined where there is no such subscription. `id`: `sub_…` */
  readSubscription(id: string): Promise<Subscription | undefined>
  /** @returns undefined where there is no such price. `id`: `price_…` */
  readPrice(id: string): Promise<Price | undefined>
  /** A page of payments, newest first. */
  listPayments(page: PaymentPage): Promise<{ payments: Payment[]; hasMore: boolean }>
  /**
   * Performs a frozen call under its key, with one attempt. Never throws: what went wrong is an outcome.
   * `isRepeat`: an earlier attempt under the key was perhaps done.
   */
  perform(
    call: BillingCall,
    key: string,
    options: { isRepeat: boolean; signal?: AbortSignal },
  ): Promise<BillingOutcome>
  /**
   * After an unknown outcome whose key may no longer replay: looks for what the call would have made. Never moves money,
   * never throws. That nothing is found is `unknown` too: it may belong to another account, or show later.
   * @param attemptedAt when the call was first made
   */
  reconcile(
    call: BillingCall,
    attemptedAt: Date,
    signal?: AbortSignal,
  ): Promise<Exclude<BillingOutcome, { state: 'not_done' }>>
}

/** The payment provider of one account. */
export interface BillingAccess {
  provider: BillingProvider
  /** Tells one credential from another, and nothing of it. */
  fingerprint: string
  /** Where a checkout's customer comes back to, where the account has a page for that. */
  returnUrl?: string
  /** The first wait, in ms, before a call of unknown fate is repeated; it doubles each time. */
  retryDelayMs: number
}

/** The fingerprint of the stand-in's credential: what was made with it moved nothing. */
export const sandboxFingerprint = 'sandbox'

/** Thrown by the reads. `refused`: the key or what it may do is wrong; `unavailable`: worth another try later. */
export class BillingError extends Error {
  readonly reason: 'refused' | 'unavailable'
  /** The provider's code, never its words: those may repeat what was sent. */
  readonly code: string
  readonly retryAfterMs: number | undefined

  constructor(reason: 'refused' | 'unavailable', code: string, retryAfterMs?: number) {
    super(`the payment provider answered ${code}`)
    this.name = 'BillingError'
    this.reason = reason
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

export interface Payment {
  /** `pi_…` where there is a payment intent, else `ch_…`. */
  id: string
  amountCents: number
  refundedCents: number
  currency: string
  /** As the provider calls it: `succeeded`, `requires_payment_method`, … */
  status: string
  customer: string | null
  description: string | null
  createdAt: Date
}

export interface Subscription {
  id: string
  status: string
  isEndingAtPeriodEnd: boolean
  /** What one period costs, all items together; undefined where an item has no fixed amount (tiers, metered). */
  recurringCents: number | undefined
  currency: string
  /** `month`, `year`, …, of the first item. */
  interval: string
  customer: string | null
}

export interface Price {
  id: string
  isActive: boolean
  unitCents: number | undefined
  currency: string
  isRecurring: boolean
}

export interface PaymentPage {
  limit: number
  after?: string | undefined
  customer?: string | undefined
}

/**
 * The `reference` goes into the provider's metadata as `action_id`: by it a lost call is found again. `credential`: the
 * fingerprint that it was consented to for, where nothing else in it belongs to one provider account alone.
 */
export type BillingCall = { reference: string; credential?: string } & (
  | {
      type: 'refund'
      payment: string
      amountCents: number
      currency: string
      reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer'
    }
  | { type: 'payout'; amountCents: number; currency: string; description?: string }
  | { type: 'cancel_subscription'; subscription: string; atPeriodEnd: boolean }
  | {
      type: 'checkout'
      mode: 'payment' | 'subscription'
      item: { price: string } | { unitCents: number; currency: string; description: string }
      quantity: number
      /** What the provider must answer as its total. */
      totalCents: number
      currency: string
      customer?: string
      successUrl: string
      cancelUrl: string
    }
)

export type BillingOutcome =
  /** `status` as the provider calls it; `url` of a checkout. */
  | { state: 'ok'; id: string; status: string; amountCents?: number; currency?: string; url?: string }
  /**
   * This attempt certainly did nothing. With `retryAfterMs` the same call may succeed later. `isConsidered`: the provider
   * looked at the call itself and would have replayed an earlier one; else it says nothing about that.
   */
  | { state: 'not_done'; code: string; retryAfterMs?: number; isConsidered?: boolean }
  /** Perhaps it happened. */
  | { state: 'unknown'; code: string }

/**
 * The interface to a payment provider. Reads determine the amount of a proposal; a call moves money or changes a
 * subscription, once. Amounts are whole cents (hundredths of a two-decimal currency), currencies lower-case ISO 4217. A
 * call is frozen before it is made, made once, and its outcome is ok, not_done or unknown.
 * @source docs/architecture.md#the-picture: freeze first, call once, three-valued outcome
 */
export interface BillingProvider {
  /** @returns undefined for an unknown payment. `id`: `pi_…` or `ch_…` */
  readPayment(id: string): Promise<Payment | undefined>
  /** @returns undefined for an unknown subscription. `id`: `sub_…` */
  readSubscription(id: string): Promise<Subscription | undefined>
  /** @returns undefined for an unknown price. `id`: `price_…` */
  readPrice(id: string): Promise<Price | undefined>
  /** @returns undefined for an unknown customer. `id`: `cus_…` */
  readCustomer(id: string): Promise<Customer | undefined>
  /** What can be paid out now, in cents. @returns undefined where there is no balance in that currency */
  readAvailableCents(currency: string): Promise<number | undefined>
  /** A page of payments, newest first. */
  listPayments(page: PaymentPage): Promise<{ payments: Payment[]; hasMore: boolean }>
  /**
   * Makes a frozen call under its key, with one attempt. Never throws: errors are outcomes. `isRepeat`: an earlier
   * attempt under the key may have been executed.
   */
  perform(
    call: BillingCall,
    key: string,
    options: { isRepeat: boolean; signal?: AbortSignal },
  ): Promise<BillingOutcome>
  /**
   * After an unknown outcome whose key may no longer replay: searches for the result of the call. Never moves money,
   * never throws. Finding nothing is `unknown` too: the result may belong to another account or appear later.
   * @param attemptedAt  the time of the first attempt
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
  /** Identifies the credential without revealing it. */
  fingerprint: string
  /** The page a customer returns to after a checkout, if the account has one. */
  returnUrl?: string
  /** The first delay in ms before a call with unknown outcome is repeated; it doubles each time. */
  retryDelayMs: number
}

/** The fingerprint of the sandbox's credential: calls with it moved no money. */
export const sandboxFingerprint = 'sandbox'

/** Thrown by reads. `refused`: the key or its permissions are wrong; `unavailable`: a later attempt may succeed. */
export class BillingError extends Error {
  readonly reason: 'refused' | 'unavailable'
  /** The provider's code. Its words are no part of the error's message, which is logged: they may repeat request data. */
  readonly code: string
  readonly retryAfterMs: number | undefined
  // Private: what prints an error does not print it.
  readonly #says: string | undefined

  constructor(
    reason: 'refused' | 'unavailable',
    code: string,
    { retryAfterMs, says }: { retryAfterMs?: number | undefined; says?: string | undefined } = {},
  ) {
    super(`the payment provider answered ${code}`)
    this.name = 'BillingError'
    this.reason = reason
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.#says = says
  }

  /** Why the provider refused, in its words. */
  get says(): string | undefined {
    return this.#says
  }
}

export interface Payment {
  /** `pi_…` where there is a payment intent, else `ch_…`. */
  id: string
  amountCents: number
  refundedCents: number
  currency: string
  /** The provider's status: `succeeded`, `requires_payment_method`, … */
  status: string
  customer: string | null
  /** Only providers that tell it have it: one payment has it, a list does not. */
  customerDetails?: Customer | undefined
  description: string | null
  createdAt: Date
}

/** A customer as the provider names them. Customers may write these texts themselves. */
export interface Customer {
  id: string
  name: string | null
  email: string | null
}

export interface Subscription {
  id: string
  status: string
  isEndingAtPeriodEnd: boolean
  /** The price of one period for all items; undefined where an item has no fixed amount (tiers, metered). */
  recurringCents: number | undefined
  currency: string
  /** `month`, `year`, …, of the first item. */
  interval: string
  customer: string | null
  customerDetails?: Customer | undefined
  /** The names of what is subscribed to, where the provider tells them, and its end of the paid period. */
  products: string[]
  periodEndsAt?: Date | undefined
}

export interface Price {
  id: string
  isActive: boolean
  unitCents: number | undefined
  currency: string
  isRecurring: boolean
  /** The name of what it sells, where the provider tells it. */
  product?: string | undefined
}

export interface PaymentPage {
  limit: number
  after?: string | undefined
  customer?: string | undefined
}

/**
 * The `reference` is stored in the provider's metadata as `action_id`, to find the result of a lost call. `credential`:
 * the fingerprint at the time of consent, where nothing else in the call belongs to only one provider account.
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
      /** The total that the provider must answer. */
      totalCents: number
      currency: string
      customer?: string
      successUrl: string
      cancelUrl: string
    }
)

export type BillingOutcome =
  /** `status`: the provider's status; `url` of a checkout. */
  | { state: 'ok'; id: string; status: string; amountCents?: number; currency?: string; url?: string }
  /**
   * This attempt certainly did nothing. With `retryAfterMs` the same call may succeed later. `isConsidered`: the
   * provider evaluated the call and would have replayed an earlier one; without it, an earlier attempt may still have
   * been executed. `says`: why the provider refused, in its words.
   */
  | { state: 'not_done'; code: string; says?: string; retryAfterMs?: number; isConsidered?: boolean }
  /** The call may have been executed. */
  | { state: 'unknown'; code: string }

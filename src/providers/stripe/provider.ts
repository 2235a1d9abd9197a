import type { BillingProvider } from '../billing.ts'
import { creationOf } from './calls.ts'
import { cancelSubscription, findCancellation } from './cancellation.ts'
import { stripeSender, type StripeOptions } from './client.ts'
import { stripeFailure } from './outcome.ts'
import { stripeReads } from './reads.ts'
import { findCreation } from './reconcile.ts'

/**
 * Payments, subscriptions and payouts of one Stripe account through the Stripe SDK: one HTTP attempt per call, every
 * POST with the caller's idempotency key, every answer checked against the call.
 *
 * A stored answer is replayed for at least 24 hours, including errors. A DELETE has no key; a mark on the subscription
 * tells whose cancellation it was.
 * @throws Error where the key or the address is invalid
 * @source Stripe: idempotent requests; the table of stripe 23.1.0's behaviour in `test/providers/stripe-faults.test.ts`
 */
export function stripeProvider(options: StripeOptions): BillingProvider {
  const send = stripeSender(options)
  return {
    ...stripeReads(send),

    async perform(call, key, { isRepeat, signal }) {
      try {
        if (call.type === 'cancel_subscription')
          return await cancelSubscription(send, call, { key, isRepeat, signal })
        const creation = creationOf(call)
        return creation.readAnswer(
          await send((stripe) => creation.create(stripe, { idempotencyKey: key }), signal),
        )
      } catch (error) {
        return stripeFailure(error)
      }
    },

    async reconcile(call, attemptedAt, signal) {
      try {
        return call.type === 'cancel_subscription'
          ? await findCancellation(send, call, signal)
          : await findCreation(send, call, attemptedAt, signal)
      } catch (error) {
        return { state: 'unknown', code: stripeFailure(error).code }
      }
    },
  }
}

import type { BillingProvider } from '../billing.ts'
import { creationOf } from './calls.ts'
import { cancelSubscription, findCancellation } from './cancellation.ts'
import { stripeSender, type StripeOptions } from './client.ts'
import { stripeFailure } from './outcome.ts'
import { stripeReads } from './reads.ts'
import { findCreation } from './reconcile.ts'

/**
 * Payments, subscriptions and payouts of one Stripe account, by the Stripe SDK: one HTTP attempt a call, every POST under
 * the caller's idempotency key, every answer compared with what was asked before it is believed.
 *
 * A kept answer replays for at least 24 hours, errors included. Of a DELETE, which has no key, the subscription itself
 * says whose it was.
 * @throws Error when the key or the address cannot be used
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

import { z } from 'zod'
import { formatAmount } from '../../../src/gate/money.ts'
import { endpoint, type StripeEndpoint, type StripeOutcome } from './endpoint.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { nowSeconds, type Subscription } from './objects.ts'
import { expand, flag, mergeMetadata, metadata, text } from './parameters.ts'
import type { StripeStore } from './store.ts'

const feedbacks = [
  'customer_service',
  'low_quality',
  'missing_features',
  'other',
  'switched_service',
  'too_complex',
  'too_expensive',
  'unused',
] as const

const cancellationDetails = z.strictObject({
  comment: z.union([z.literal(''), text()]).optional(),
  feedback: z.enum(['', ...feedbacks]).optional(),
})
type GivenDetails = z.output<typeof cancellationDetails>

const updateParameters = z.strictObject({
  cancel_at_period_end: flag.optional(),
  cancellation_details: cancellationDetails.optional(),
  metadata: metadata.optional(),
  expand,
})

const cancelParameters = z.strictObject({
  cancellation_details: cancellationDetails.optional(),
  invoice_now: flag.optional(),
  prorate: flag.optional(),
  expand,
})

/** Ends a subscription at the end of its paid period, or immediately. */
export const subscriptionEndpoints: StripeEndpoint[] = [
  endpoint('POST', '/subscriptions/:id', updateParameters, (given, { id }, store) => {
    const before = found(id, store)
    const { cancel_at_period_end: isEnding } = given
    if (before.status === 'canceled' && isEnding !== undefined)
      throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.')
    const noted: Subscription = {
      ...before,
      metadata: mergeMetadata(before.metadata, given.metadata),
      cancellation_details: withDetails(before, given.cancellation_details),
    }
    if (isEnding === undefined) return { body: noted, put: [noted] }
    return isEnding ? cancelled(endingWithPeriod(noted)) : resumed(noted)
  }),

  endpoint('DELETE', '/subscriptions/:id', cancelParameters, (given, { id }, store) => {
    const before = found(id, store)
    if (before.status === 'canceled') throw noSuch('subscription', id)
    const details = withDetails(before, given.cancellation_details)
    const now = nowSeconds()
    return cancelled({
      ...before,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: now,
      cancellation_details: { ...details, reason: 'cancellation_requested' },
      ended_at: now,
      status: 'canceled',
    })
  }),
]

function found(id: string, store: StripeStore): Subscription {
  const subscription = store.find('subscription', id)
  if (!subscription) throw noSuch('subscription', id)
  return subscription
}

function endingWithPeriod(subscription: Subscription): Subscription {
  return {
    ...subscription,
    cancel_at: subscription.items.data[0]!.current_period_end,
    cancel_at_period_end: true,
    canceled_at: nowSeconds(),
    cancellation_details: { ...subscription.cancellation_details, reason: 'cancellation_requested' },
  }
}

function cancelled(subscription: Subscription): StripeOutcome {
  const { id, items, currency, metadata, status } = subscription
  const price = items.data[0]!.price
  const amount = price.unit_amount * items.data[0]!.quantity
  const when = status === 'canceled' ? 'immediately' : 'at the end of its period'
  const cost = `${formatAmount(amount, currency)} a ${price.recurring!.interval}`
  const operation = {
    operation: 'cancellation' as const,
    id,
    text: `Cancelled ${id} ${when} (${cost})`,
    amount,
    currency,
    metadata,
  }
  return { body: subscription, put: [subscription], operation }
}

function resumed(subscription: Subscription): StripeOutcome {
  const details = { ...subscription.cancellation_details, reason: null }
  const after: Subscription = {
    ...subscription,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: details,
  }
  return { body: after, put: [after] }
}

function withDetails(
  { cancellation_details: before }: Subscription,
  { comment, feedback }: GivenDetails = {},
): Subscription['cancellation_details'] {
  return {
    ...before,
    ...(comment === undefined ? {} : { comment: comment || null }),
    ...(feedback === undefined ? {} : { feedback: feedback || null }),
  }
}

import type { CheckoutSession, StripeObject, Subscription } from './objects.ts'

/**
 * The object at a later time: a checkout expires, a subscription renews or ends. Pure.
 * @param now  whole seconds since 1970
 */
export function asOf<T extends StripeObject>(object: T, now: number): T {
  if (object.object === 'checkout.session') return sessionAsOf(object, now) as T
  if (object.object === 'subscription') return subscriptionAsOf(object, now) as T
  return object
}

function sessionAsOf(session: CheckoutSession, now: number): CheckoutSession {
  return session.expires_at > now ? session : { ...session, status: 'expired', url: null }
}

function subscriptionAsOf(subscription: Subscription, now: number): Subscription {
  const { status, cancel_at: cancelAt, items } = subscription
  if (status === 'canceled') return subscription
  if (cancelAt !== null && cancelAt <= now) return { ...subscription, status: 'canceled', ended_at: cancelAt }
  return { ...subscription, items: { ...items, data: items.data.map((item) => renewed(item, now)) } }
}

/** The item with its current period. Periods here are months. */
function renewed<T extends Period>(item: T, now: number): T {
  let { current_period_start: start, current_period_end: end } = item
  while (end <= now) [start, end] = [end, aMonthAfter(end)]
  return { ...item, current_period_start: start, current_period_end: end }
}

interface Period {
  current_period_start: number
  current_period_end: number
}

export function aMonthAfter(seconds: number): number {
  const date = new Date(seconds * 1000)
  date.setUTCMonth(date.getUTCMonth() + 1)
  return date.getTime() / 1000
}

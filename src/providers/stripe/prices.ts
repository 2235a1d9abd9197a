import type { z } from 'zod'
import type { Price, Subscription } from '../billing.ts'
import { assertExpected } from './errors.ts'
import type { priceShape, subscriptionItemShape, subscriptionShape } from './shapes.ts'

export type SubscriptionItem = z.output<typeof subscriptionItemShape>
type GivenPrice = z.output<typeof priceShape>

/** Pure. */
export function priceOf(price: GivenPrice): Price {
  const { id, active, currency, recurring, product } = price
  return {
    id,
    isActive: active,
    unitCents: fixedCents(price),
    currency,
    isRecurring: recurring !== null,
    ...(product === undefined ? {} : { product }),
  }
}

/**
 * A subscription and its price. Pure.
 * @param items  all items, or undefined where there are too many to read
 */
export function subscriptionOf(
  given: z.output<typeof subscriptionShape>,
  items: SubscriptionItem[] | undefined,
): Subscription {
  const { id, status, cancel_at_period_end, currency, customer } = given
  const [first] = given.items.data
  const { recurring } = first!.price
  assertExpected(recurring !== null)
  return {
    id,
    status,
    isEndingAtPeriodEnd: cancel_at_period_end,
    recurringCents: items && recurringCents(items, currency),
    currency,
    interval: recurring.interval,
    customer,
    products: (items ?? given.items.data).flatMap(({ price }) => price.product ?? []),
    periodEndsAt: first!.current_period_end,
  }
}

/**
 * The price of one period of all items, without discounts. Undefined unless each item has a fixed amount in the
 * subscription's currency and for the same period.
 */
function recurringCents(items: SubscriptionItem[], currency: string): number | undefined {
  let sum = 0
  for (const { price, quantity } of items) {
    const unitCents = fixedCents(price)
    if (unitCents === undefined || quantity === undefined) return undefined
    if (price.recurring?.usage_type !== 'licensed' || price.currency !== currency) return undefined
    if (periodOf(price) !== periodOf(items[0]!.price)) return undefined
    sum += unitCents * quantity
  }
  return Number.isSafeInteger(sum) ? sum : undefined
}

const periodOf = ({ recurring }: GivenPrice) => `${recurring?.interval_count} ${recurring?.interval}`

/** The price of one unit; undefined for tiers, packages, fractions of a cent, and customer-chosen prices. */
function fixedCents(price: GivenPrice): number | undefined {
  if (price.billing_scheme !== 'per_unit' || price.custom_unit_amount || price.transform_quantity)
    return undefined
  return price.unit_amount ?? undefined
}

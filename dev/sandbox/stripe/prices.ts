import { type Interval, newId, nowSeconds, type Price } from './objects.ts'

type Made = Pick<Price, 'id' | 'created' | 'active' | 'currency' | 'product' | 'unit_amount'>

interface Recurring {
  interval: Interval
  /** Default 1. */
  interval_count?: number | undefined
}

/** @param recurring absent: a one-time price */
export function makePrice(made: Made, recurring?: Recurring): Price {
  return {
    ...made,
    object: 'price',
    billing_scheme: 'per_unit',
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    recurring: recurring
      ? { ...licensed, ...recurring, interval_count: recurring.interval_count ?? 1 }
      : null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: recurring ? 'recurring' : 'one_time',
    unit_amount_decimal: String(made.unit_amount),
  } as Price
}

const licensed = { meter: null, trial_period_days: null, usage_type: 'licensed' }

/** Inline price data of a checkout. */
export interface PriceData {
  currency: string
  unit_amount: number
  recurring?: Recurring | undefined
}

/** The price of one checkout. As at Stripe it is inactive, so it cannot be used again. */
export function inlinePrice({ currency, unit_amount, recurring }: PriceData): Price {
  const made = { id: newId('price_'), created: nowSeconds(), product: newId('prod_', 14) }
  return makePrice({ ...made, active: false, currency, unit_amount }, recurring)
}

import { z } from 'zod'
import { invalidRequest, noSuch } from './errors.ts'
import { type CheckoutSession, type LineItem, newId } from './objects.ts'
import { currency, text, whole } from './parameters.ts'
import { inlinePrice } from './prices.ts'
import type { StripeStore } from './store.ts'
import { limits } from '../../../src/limits.ts'

const priceData = z.strictObject({
  currency,
  unit_amount: whole(),
  product_data: z.strictObject({ name: text(250), description: text().optional() }),
  recurring: z
    .strictObject({
      interval: z.enum(['day', 'week', 'month', 'year']),
      interval_count: whole(1, 36).optional(),
    })
    .optional(),
})

/** One line item of a checkout: an existing price, or inline price data. */
export const lineItemParameters = z.strictObject({
  price: text(255).optional(),
  price_data: priceData.optional(),
  quantity: whole(1, 999_999),
})
type GivenItem = z.output<typeof lineItemParameters>
type Mode = CheckoutSession['mode']

/** @throws StripeRefusal for an unknown price, or one that this mode does not accept */
export function lineItem(item: GivenItem, place: number, mode: Mode, store: StripeStore): LineItem {
  const param = `line_items[${place}]`
  const { price: priceId, price_data: data, quantity } = item
  if ((priceId === undefined) === (data === undefined))
    throw invalidRequest(`You must specify either \`price\` or \`price_data\` in ${param}.`, { param })
  const price = data ? inlinePrice(data) : store.find('price', priceId!)
  if (!price) throw noSuch('price', priceId!, { param: `${param}[price]`, status: 400 })
  if (!data && !price.active)
    throw invalidRequest('The price specified is inactive. This field only accepts active prices.', {
      param: `${param}[price]`,
    })
  if (mode === 'payment' && price.recurring)
    throw invalidRequest('You specified `payment` mode but passed a recurring price.', { param: 'mode' })
  return {
    id: newId('li_'),
    object: 'item',
    amount_total: price.unit_amount * quantity,
    currency: price.currency,
    description: data?.product_data.name ?? store.find('product', price.product)!.name,
    price,
    quantity,
  }
}

/**
 * The total of all items.
 * @throws StripeRefusal for items that cannot be combined, or a total that is too small or too large
 */
export function totalOf(items: LineItem[], mode: Mode): number {
  const total = items.reduce((sum, item) => sum + item.amount_total, 0)
  if (mode === 'subscription' && !items.some(({ price }) => price.recurring))
    throw invalidRequest('You must provide at least one recurring price in `subscription` mode.', {
      param: 'mode',
    })
  if (new Set(items.map((item) => item.currency)).size > 1)
    throw invalidRequest('All prices of a Checkout Session must use the same currency.', {
      param: 'line_items',
    })
  if (mode === 'payment' && total < limits.sandboxCheckoutCentsMin)
    throw invalidRequest("The Checkout Session's total amount must convert to at least 50 cents.", {
      code: 'amount_too_small',
    })
  if (total > limits.sandboxCheckoutCentsMax)
    throw invalidRequest("The Checkout Session's total amount due must be no more than 999,999.99.", {
      code: 'amount_too_large',
    })
  return total
}

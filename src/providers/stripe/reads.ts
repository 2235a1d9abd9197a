import type { Stripe } from 'stripe'
import type { z } from 'zod'
import { BillingError, type BillingProvider, type Customer } from '../billing.ts'
import type { StripeSend } from './client.ts'
import { billingError, isMissing } from './outcome.ts'
import { paymentOfCharge, paymentOfIntent } from './payments.ts'
import { priceOf, subscriptionOf, type SubscriptionItem } from './prices.ts'
import * as shapes from './shapes.ts'
import { limits } from '../../limits.ts'

/** Pages of a subscription's items: Stripe allows twenty items, more by agreement. */
const stripeItemPagesMax = 5

type Reads = Pick<
  BillingProvider,
  'readPayment' | 'readSubscription' | 'readPrice' | 'readCustomer' | 'readAvailableCents' | 'listPayments'
>

/** The reads that determine the amount of a proposal. An id with another prefix does not exist, so no request is sent. */
export function stripeReads(send: StripeSend): Reads {
  return {
    readPayment: (id) => (id.startsWith('pi_') ? readIntent(id) : readCharge(id)),

    readSubscription: (id) =>
      find(shapes.idOf('sub'), id, async () => {
        const answer = await withNames(send, ['customer', 'items.data.price.product'], (stripe, expand) =>
          stripe.subscriptions.retrieve(id, { expand }),
        )
        const given = shapes.parseAnswer(shapes.subscriptionShape, answer)
        return { ...subscriptionOf(given, await allItems(send, given)), ...customerIn(answer) }
      }),

    readPrice: (id) =>
      find(shapes.idOf('price'), id, async () =>
        priceOf(
          shapes.parseAnswer(
            shapes.priceShape,
            await withNames(send, ['product'], (stripe, expand) => stripe.prices.retrieve(id, { expand })),
          ),
        ),
      ),

    readCustomer: (id) =>
      find(shapes.idOf('cus'), id, async () =>
        shapes.customerDetails.parse(await send((stripe) => stripe.customers.retrieve(id))),
      ),

    async readAvailableCents(currency) {
      try {
        const { available } = await read(send, shapes.balanceShape, (stripe) => stripe.balance.retrieve())
        return available.find((funds) => funds.currency === currency)?.amount
      } catch (error) {
        throw error instanceof BillingError ? error : billingError(error)
      }
    },

    async listPayments({ limit, after, customer }) {
      try {
        const page = await read(send, shapes.listShape, (stripe) =>
          stripe.paymentIntents.list({
            limit: Math.min(limit, limits.stripePageRowsMax),
            ...(after === undefined ? {} : { starting_after: after }),
            ...(customer === undefined ? {} : { customer }),
            expand: ['data.latest_charge'],
          }),
        )
        const intents = page.data.map((intent) => shapes.parseAnswer(shapes.paymentIntentShape, intent))
        return { payments: intents.map(paymentOfIntent), hasMore: page.has_more }
      } catch (error) {
        throw billingError(error)
      }
    },
  }

  function readIntent(id: string) {
    return find(shapes.idOf('pi'), id, async () => {
      const answer = await withNames(send, ['customer'], (stripe, expand) =>
        stripe.paymentIntents.retrieve(id, { expand: ['latest_charge', ...expand] }),
      )
      const intent = shapes.parseAnswer(shapes.paymentIntentShape, answer)
      return { ...paymentOfIntent(intent), ...customerIn(answer) }
    })
  }

  /** A charge with a payment intent is read as that payment, whose id is used for refunds and lists. */
  function readCharge(id: string) {
    return find(shapes.idOf('ch', 'py'), id, async () => {
      const answer = await withNames(send, ['customer'], (stripe, expand) =>
        stripe.charges.retrieve(id, { expand }),
      )
      const charge = shapes.parseAnswer(shapes.chargeShape, answer)
      if (charge.payment_intent !== null) return readIntent(charge.payment_intent)
      return { ...paymentOfCharge(charge), ...customerIn(answer) }
    })
  }
}

/** Every item of a subscription; undefined where there are too many to read. */
async function allItems(send: StripeSend, { id, items }: z.output<typeof shapes.subscriptionShape>) {
  const all: SubscriptionItem[] = [...items.data]
  let hasMore = items.has_more
  for (let page = 0; hasMore && page < stripeItemPagesMax; page += 1) {
    const next = await read(send, shapes.listShape, (stripe) =>
      stripe.subscriptionItems.list({
        subscription: id,
        limit: limits.stripePageRowsMax,
        starting_after: all.at(-1)!.id,
      }),
    )
    all.push(...next.data.map((item) => shapes.parseAnswer(shapes.subscriptionItemShape, item)))
    hasMore = next.has_more && next.data.length > 0
  }
  return hasMore ? undefined : all
}

/**
 * Requests an object with the names of what it refers to. A key may read the object and not those: then without them.
 * @source Stripe: a restricted key needs the permission of each object that is expanded
 */
async function withNames(
  send: StripeSend,
  names: string[],
  request: (stripe: Stripe, expand: string[]) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await send((stripe) => request(stripe, names))
  } catch (error) {
    if (!namesRefused.has(billingError(error).code)) throw error
    return send((stripe) => request(stripe, []))
  }
}

/** The key may not read what is expanded, or it cannot be expanded. */
const namesRefused = new Set(['permission_error', 'invalid_request_error'])

function customerIn(answer: unknown): { customerDetails?: Customer | undefined } {
  const customer = shapes.customerDetails.parse((answer as { customer?: unknown }).customer)
  return customer?.name || customer?.email ? { customerDetails: customer } : {}
}

async function read<Shape extends z.ZodType>(
  send: StripeSend,
  shape: Shape,
  request: (stripe: Stripe) => Promise<unknown>,
): Promise<z.output<Shape>> {
  return shapes.parseAnswer(shape, await send(request))
}

/** @throws BillingError */
async function find<T>(ids: z.ZodType, id: string, look: () => Promise<T>): Promise<T | undefined> {
  if (!ids.safeParse(id).success) return undefined
  try {
    return await look()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error instanceof BillingError ? error : billingError(error)
  }
}

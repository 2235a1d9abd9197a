import type { Stripe } from 'stripe'
import type { z } from 'zod'
import { BillingError, type BillingProvider } from '../billing.ts'
import type { StripeSend } from './client.ts'
import { billingError, isMissing } from './outcome.ts'
import { paymentOfCharge, paymentOfIntent } from './payments.ts'
import { priceOf, subscriptionOf, type SubscriptionItem } from './prices.ts'
import * as shapes from './shapes.ts'

type Reads = Pick<BillingProvider, 'readPayment' | 'readSubscription' | 'readPrice' | 'listPayments'>

const pageRowsMax = 100
/** Stripe allows twenty items to a subscription, and more by agreement. */
const itemPagesMax = 5

/** What proposals are weighed by. An id of another kind is one that does not exist, and nobody is asked. */
export function stripeReads(send: StripeSend): Reads {
  return {
    readPayment: (id) => (id.startsWith('pi_') ? readIntent(id) : readCharge(id)),

    readSubscription: (id) =>
      find(shapes.idOf('sub'), id, async () => {
        const given = await read(shapes.subscriptionShape, (stripe) => stripe.subscriptions.retrieve(id))
        return subscriptionOf(given, await allItems(given))
      }),

    readPrice: (id) =>
      find(shapes.idOf('price'), id, async () =>
        priceOf(await read(shapes.priceShape, (stripe) => stripe.prices.retrieve(id))),
      ),

    async listPayments({ limit, after, customer }) {
      try {
        const page = await read(shapes.listShape, (stripe) =>
          stripe.paymentIntents.list({
            limit: Math.min(limit, pageRowsMax),
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
    return find(shapes.idOf('pi'), id, async () =>
      paymentOfIntent(
        await read(shapes.paymentIntentShape, (stripe) =>
          stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }),
        ),
      ),
    )
  }

  /** A charge of a payment intent is that one's payment: by its id it is refunded and listed. */
  function readCharge(id: string) {
    return find(shapes.idOf('ch', 'py'), id, async () => {
      const charge = await read(shapes.chargeShape, (stripe) => stripe.charges.retrieve(id))
      return charge.payment_intent === null ? paymentOfCharge(charge) : readIntent(charge.payment_intent)
    })
  }

  async function allItems({ id, items }: z.output<typeof shapes.subscriptionShape>) {
    const all: SubscriptionItem[] = [...items.data]
    let hasMore = items.has_more
    for (let page = 0; hasMore && page < itemPagesMax; page += 1) {
      const next = await read(shapes.listShape, (stripe) =>
        stripe.subscriptionItems.list({
          subscription: id,
          limit: pageRowsMax,
          starting_after: all.at(-1)!.id,
        }),
      )
      all.push(...next.data.map((item) => shapes.parseAnswer(shapes.subscriptionItemShape, item)))
      hasMore = next.has_more && next.data.length > 0
    }
    return hasMore ? undefined : all
  }

  async function read<Shape extends z.ZodType>(
    shape: Shape,
    request: (stripe: Stripe) => Promise<unknown>,
  ): Promise<z.output<Shape>> {
    return shapes.parseAnswer(shape, await send(request))
  }
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

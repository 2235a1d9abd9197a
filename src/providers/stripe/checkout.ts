import { z } from 'zod'
import type { CallOf, Creation } from './creation.ts'
import { assertExpected } from './errors.ts'
import { cents, currency, idOf, parseAnswer, status } from './shapes.ts'
import { isLoopbackHost } from '../../network/loopback.ts'

/** It is stored in the ledger. */
const checkoutUrlCharsMax = 4_096

const checkoutShape = z.object({
  object: z.literal('checkout.session'),
  id: idOf('cs'),
  amount_total: cents,
  currency,
  status,
  /** Null once it is paid or has expired. */
  url: z.string().max(checkoutUrlCharsMax).refine(isPageUrl).nullable(),
})

/** Creates a page where a customer can pay. It moves no money by itself. */
export function checkoutOf(call: CallOf<'checkout'>): Creation {
  return {
    create: (stripe, options) =>
      stripe.checkout.sessions.create(
        {
          mode: call.mode,
          line_items: [{ ...lineItemOf(call.item), quantity: call.quantity }],
          ...(call.customer === undefined ? {} : { customer: call.customer }),
          success_url: call.successUrl,
          cancel_url: call.cancelUrl,
          client_reference_id: call.reference,
          metadata: { action_id: call.reference },
        },
        options,
      ),
    list: (stripe, page, since) => stripe.checkout.sessions.list({ created: { gte: since }, ...page }),
    readAnswer(answer) {
      const { id, amount_total, currency, status, url } = parseAnswer(checkoutShape, answer)
      assertExpected(amount_total === call.totalCents && currency === call.currency)
      assertExpected(url !== null || status !== 'open')
      return {
        state: 'ok',
        id,
        status,
        amountCents: amount_total,
        currency,
        ...(url === null ? {} : { url }),
      }
    },
  }
}

function lineItemOf(item: CallOf<'checkout'>['item']) {
  if ('price' in item) return { price: item.price }
  const { currency, unitCents, description } = item
  return { price_data: { currency, unit_amount: unitCents, product_data: { name: description } } }
}

function isPageUrl(url: string): boolean {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' }
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

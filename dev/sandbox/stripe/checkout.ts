import { z } from 'zod'
import { formatAmount } from '../../../src/gate/money.ts'
import { endpoint, type StripeEndpoint } from './endpoint.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { lineItem, lineItemParameters, totalOf } from './line-items.ts'
import { nowSeconds } from './objects.ts'
import { expand, metadata, text, whole } from './parameters.ts'
import { makeSession, type SessionRequest } from './session.ts'
import type { StripeStore } from './store.ts'
import { limits } from '../../../src/limits.ts'

const parameters = z.strictObject({
  mode: z.enum(['payment', 'subscription']),
  line_items: z.array(lineItemParameters).min(1).max(limits.sandboxLineItemsMax),
  success_url: text(),
  cancel_url: text().optional(),
  customer: text(255).optional(),
  client_reference_id: text(200).optional(),
  metadata: metadata.optional(),
  expires_at: whole().optional(),
  expand,
})
type Given = z.output<typeof parameters>

/** A page where a customer can pay. It moves nothing itself. */
export const checkoutEndpoints: StripeEndpoint[] = [
  endpoint('POST', '/checkout/sessions', parameters, (given, { origin }, store) => {
    const request = checkRequest(given, store)
    const items = given.line_items.map((item, place) => lineItem(item, place, given.mode, store))
    const total = totalOf(items, given.mode)
    const session = makeSession(request, items, total, origin)
    const what = `Opened a checkout of ${formatAmount(total, session.currency)}, mode ${session.mode}`
    return {
      body: session,
      put: [session],
      operation: {
        operation: 'checkout',
        id: session.id,
        text: what,
        amount: total,
        currency: session.currency,
        metadata: session.metadata,
      },
    }
  }),
]

function checkRequest(given: Given, store: StripeStore): SessionRequest {
  const { customer, success_url: success, cancel_url: cancel } = given
  const created = nowSeconds()
  const expiresAt = given.expires_at ?? created + limits.sandboxCheckoutSecondsMax
  if (customer !== undefined && !store.find('customer', customer))
    throw noSuch('customer', customer, { param: 'customer', status: 400 })
  if (!isWebAddress(success)) throw notAnAddress('success_url')
  if (cancel !== undefined && !isWebAddress(cancel)) throw notAnAddress('cancel_url')
  // A minute's grace: the request was under way, and clocks differ.
  if (expiresAt < created + limits.sandboxCheckoutSecondsMin - 60)
    throw invalidExpiry(
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
    )
  if (expiresAt > created + limits.sandboxCheckoutSecondsMax + 60)
    throw invalidExpiry(
      'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.',
    )
  return { ...given, created, expires_at: expiresAt }
}

function isWebAddress(address: string): boolean {
  return URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol)
}

const notAnAddress = (param: string) => invalidRequest('Not a valid URL', { code: 'url_invalid', param })
const invalidExpiry = (message: string) => invalidRequest(message, { param: 'expires_at' })

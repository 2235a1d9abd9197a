import { type CheckoutSession, type LineItem, newId, stripeList } from './objects.ts'
import { mergeMetadata } from './parameters.ts'

export interface SessionRequest {
  mode: CheckoutSession['mode']
  success_url: string
  cancel_url?: string | undefined
  customer?: string | undefined
  client_reference_id?: string | undefined
  metadata?: '' | Record<string, string> | undefined
  /** Whole seconds since 1970. */
  created: number
  expires_at: number
}

/**
 * A new checkout session.
 * @param total  of all items, in the smallest unit of their currency
 * @param origin  where the sandbox serves the checkout page
 */
export function makeSession(
  request: SessionRequest,
  items: LineItem[],
  total: number,
  origin: string,
): CheckoutSession {
  const id = newId('cs_test_a1', 56)
  const { mode, created, customer = null } = request
  return {
    ...unused,
    id,
    object: 'checkout.session',
    amount_subtotal: total,
    amount_total: total,
    cancel_url: request.cancel_url ?? null,
    client_reference_id: request.client_reference_id ?? null,
    created,
    currency: items[0]!.currency,
    customer,
    customer_creation: mode === 'payment' && customer === null ? 'if_required' : null,
    expires_at: request.expires_at,
    line_items: stripeList(items, `/v1/checkout/sessions/${id}/line_items`),
    metadata: mergeMetadata({}, request.metadata),
    mode,
    payment_method_collection: mode === 'payment' ? 'if_required' : 'always',
    status: 'open',
    success_url: request.success_url,
    url: `${origin}/checkout/${id}`,
  } as CheckoutSession
}

/** Further fields of Stripe's answer, constant in the sandbox. */
const unused = {
  adaptive_pricing: null,
  after_expiration: null,
  allow_promotion_codes: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  client_secret: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  custom_fields: [],
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: null,
    terms_of_service_acceptance: null,
  },
  customer_details: null,
  customer_email: null,
  discounts: [],
  invoice: null,
  invoice_creation: null,
  livemode: false,
  locale: null,
  payment_intent: null,
  payment_link: null,
  payment_method_configuration_details: null,
  payment_method_options: {},
  payment_method_types: ['card'],
  payment_status: 'unpaid',
  phone_number_collection: { enabled: false },
  recovered_from: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  submit_type: null,
  subscription: null,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  ui_mode: 'hosted_page',
}

import { createHash } from 'node:crypto'

/** One request as the fault server saw it. */
export interface StripeRequest {
  /** `POST /v1/refunds`, `GET /v1/subscriptions/sub_1` … */
  call: string
  method: string
  path: string
  /** The Idempotency-Key. */
  key: string | undefined
  /** The query and the form, by their flat names: `metadata[action_id]`. */
  parameters: Record<string, string>
  headers: Record<string, string>
}

export interface StripeAnswer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

export type StripeObject = { id: string; object: string; created: number } & Record<string, any>

/** The type of what each path holds. */
const typeAt: Record<string, string> = {
  'checkout/sessions': 'checkout.session',
  charges: 'charge',
  payment_intents: 'payment_intent',
  payouts: 'payout',
  prices: 'price',
  refunds: 'refund',
  subscription_items: 'subscription_item',
  subscriptions: 'subscription',
}

/**
 * The smallest Stripe that can be asked whether anything was done twice. Written apart from the sandbox, so that both are
 * not wrong in the same way.
 */
export function stripeFaultApi() {
  const objects = new Map<string, StripeObject>()
  const kept = new Map<string, { hash: string; answer: StripeAnswer }>()
  let ids = 0

  return {
    objects,
    work,
    add,
    ofType,
    /** Forgets the keys, as Stripe does after more than a day. */
    forgetKeys: () => kept.clear(),
  }

  function add<T extends Record<string, any>>(fields: T & { id: string; object: string }): StripeObject {
    const added: StripeObject = { created: nowSeconds(), ...fields }
    objects.set(added.id, added)
    return added
  }

  /** Newest first, as Stripe lists. */
  function ofType(type: string): StripeObject[] {
    return [...objects.values()].filter(({ object }) => object === type).reverse()
  }

  function work(request: StripeRequest): StripeAnswer {
    if (request.method !== 'POST' || request.key === undefined) return serve(request)
    const asked = JSON.stringify([request.call, request.parameters])
    const hash = createHash('sha256').update(asked).digest('hex')
    const known = kept.get(request.key)
    if (known?.hash === hash) return { ...known.answer, headers: { 'idempotent-replayed': 'true' } }
    if (known) return stripeError(400, 'idempotency_error')
    const answer = serve(request)
    kept.set(request.key, { hash, answer })
    return answer
  }

  function serve({ method, path, parameters }: StripeRequest): StripeAnswer {
    if (path === '/v1/balance') return ok({ object: 'balance', available: [] })
    const [, at = '', id] = /^\/v1\/(checkout\/sessions|[a-z_]+)(?:\/(\w+))?$/.exec(path) ?? []
    const type = typeAt[at]
    if (type === undefined) return stripeError(404, 'invalid_request_error')
    if (id === undefined) return method === 'GET' ? page(type, parameters) : create(type, parameters)
    const found = objects.get(id)
    if (found?.object !== type) return stripeError(404, 'invalid_request_error', 'resource_missing')
    if (method === 'GET') return ok(expanded(found, parameters['expand[0]']))
    return method === 'DELETE' ? cancel(found, parameters) : update(found, parameters)
  }

  function page(type: string, parameters: Record<string, string>): StripeAnswer {
    const { limit = '10', starting_after: after } = parameters
    const filters = ['payment_intent', 'charge', 'customer', 'subscription'].filter(
      (name) => parameters[name],
    )
    const since = Number(parameters['created[gte]'] ?? 0)
    const all = ofType(type).filter(
      (object) => object.created >= since && filters.every((name) => object[name] === parameters[name]),
    )
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
    const data = all.slice(from, from + Number(limit))
    const expand = parameters['expand[0]']?.replace('data.', '')
    return ok({
      object: 'list',
      data: data.map((object) => expanded(object, expand)),
      has_more: from + data.length < all.length,
    })
  }

  function create(type: string, parameters: Record<string, string>): StripeAnswer {
    ids += 1
    const metadata = { action_id: parameters['metadata[action_id]'] }
    if (type === 'payout') {
      const { currency } = parameters
      const amount = Number(parameters['amount'])
      return ok(add({ id: `po_${ids}`, object: type, amount, currency, status: 'pending', metadata }))
    }
    if (type === 'refund') return refund(parameters, metadata)
    const item = 'line_items[0][price_data]'
    const unit = Number(parameters[`${item}[unit_amount]`] ?? 1_000)
    return ok(
      add({
        id: `cs_test_${ids}`,
        object: type,
        amount_total: unit * Number(parameters['line_items[0][quantity]']),
        currency: parameters[`${item}[currency]`] ?? 'usd',
        status: 'open',
        url: `https://checkout.stripe.com/c/pay/cs_test_${ids}`,
        metadata,
      }),
    )
  }

  function refund(parameters: Record<string, string>, metadata: object): StripeAnswer {
    const intent = objects.get(parameters['payment_intent'] ?? '')
    const charge = objects.get(intent?.['latest_charge'] ?? parameters['charge'] ?? '')
    if (!charge) return stripeError(404, 'invalid_request_error', 'resource_missing')
    const amount = Number(parameters['amount'])
    if (amount > charge['amount_captured'] - charge['amount_refunded'])
      return stripeError(400, 'invalid_request_error', 'charge_already_refunded')
    charge['amount_refunded'] += amount
    return ok(
      add({
        id: `re_${ids}`,
        object: 'refund',
        amount,
        currency: charge['currency'],
        charge: charge.id,
        payment_intent: intent?.id ?? null,
        status: 'succeeded',
        metadata,
      }),
    )
  }

  function update(subscription: StripeObject, parameters: Record<string, string>): StripeAnswer {
    if (subscription['status'] === 'canceled')
      return stripeError(400, 'invalid_request_error', 'invalid_canceled_subscription_fields')
    const metadata = { ...subscription['metadata'], action_id: parameters['metadata[action_id]'] }
    return ok(add({ ...subscription, metadata, cancel_at_period_end: true }))
  }

  function cancel(subscription: StripeObject, parameters: Record<string, string>): StripeAnswer {
    if (subscription['status'] === 'canceled')
      return stripeError(404, 'invalid_request_error', 'resource_missing')
    const cancellation_details = { comment: parameters['cancellation_details[comment]'] ?? null }
    return ok(add({ ...subscription, status: 'canceled', cancellation_details }))
  }

  function expanded(object: StripeObject, name: string | undefined): StripeObject {
    return name === undefined ? object : { ...object, [name]: objects.get(object[name]) ?? object[name] }
  }
}

/** @param type  `invalid_request_error`, `card_error`, `api_error` … */
export function stripeError(status: number, type: string, code?: string): StripeAnswer {
  return { status, body: { error: { type, code, message: 'No such customer: ada@example.com' } } }
}

const ok = (body: object): StripeAnswer => ({ status: 200, body })
const nowSeconds = () => Math.floor(Date.now() / 1000)

import { z } from 'zod'
import { endpoint, type StripeEndpoint } from './endpoint.ts'
import { noSuch } from './errors.ts'
import { pageOf, pageParameters } from './lists.ts'
import type { ListedObject } from './objects.ts'
import { expand, text } from './parameters.ts'

/** Objects that are read at `path/<id>` and listed at `path` with these filters. */
const collections: { kind: ListedObject['object']; path: string; filters: string[] }[] = [
  { kind: 'charge', path: '/charges', filters: ['customer', 'payment_intent'] },
  { kind: 'checkout.session', path: '/checkout/sessions', filters: ['customer', 'status'] },
  { kind: 'customer', path: '/customers', filters: ['email'] },
  { kind: 'payment_intent', path: '/payment_intents', filters: ['customer'] },
  { kind: 'payout', path: '/payouts', filters: ['status'] },
  { kind: 'price', path: '/prices', filters: ['active', 'currency', 'product', 'type'] },
  { kind: 'product', path: '/products', filters: ['active'] },
  { kind: 'refund', path: '/refunds', filters: ['charge', 'payment_intent'] },
  { kind: 'subscription', path: '/subscriptions', filters: ['customer', 'status'] },
]

/** Default filters of lists. */
const filtersDefault: Partial<Record<ListedObject['object'], Record<string, string>>> = {
  price: { active: 'true' },
  subscription: { status: 'not_canceled' },
}

const onlyExpand = z.strictObject({ expand })

export const readEndpoints: StripeEndpoint[] = [
  endpoint('GET', '/balance', onlyExpand, (_given, _call, store) => {
    const { object, available } = store.balance()
    const pending = available.map(({ currency }) => ({ amount: 0, currency, source_types: { card: 0 } }))
    const funds = available.map((fund) => ({ ...fund, source_types: { card: fund.amount } }))
    return { body: { object, available: funds, livemode: false, pending } }
  }),
  endpoint('GET', '/account', onlyExpand, () => ({ body: account })),
  ...collections.flatMap(({ kind, path, filters }) => [
    endpoint('GET', `${path}/:id`, onlyExpand, (_given, { id }, store) => {
      const found = store.find(kind, id)
      if (!found) throw noSuch(kind, id)
      return { body: found }
    }),
    endpoint('GET', path, listParameters(filters), (given, _call, store) => {
      const wanted = { ...filtersDefault[kind], ...selected(given, filters) }
      const objects: ListedObject[] = store.newestFirst(kind)
      return { body: pageOf(objects, given, (object) => isSelected(object, wanted), `/v1${path}`) }
    }),
  ]),
]

function listParameters(filters: string[]) {
  const fields = Object.fromEntries(filters.map((filter) => [filter, text(255).optional()]))
  return z.strictObject({ ...pageParameters, expand, ...(fields as Record<never, never>) })
}

function selected(given: object, filters: string[]): Record<string, string> {
  const wanted = Object.entries(given).filter(
    ([name, value]) => filters.includes(name) && value !== undefined,
  )
  return Object.fromEntries(wanted)
}

function isSelected(object: ListedObject, wanted: Record<string, string>): boolean {
  const fields = object as unknown as Record<string, unknown>
  return Object.entries(wanted).every(([name, value]) => {
    if (name === 'status' && object.object === 'subscription') return isOfStatus(object.status, value)
    return String(fields[name]) === value
  })
}

/** Stripe's status filters for subscriptions, some of which are not a status themselves. */
function isOfStatus(status: string, wanted: string): boolean {
  if (wanted === 'all') return true
  if (wanted === 'not_canceled') return status !== 'canceled'
  return status === (wanted === 'ended' ? 'canceled' : wanted)
}

const account = {
  id: 'acct_Sandbox',
  object: 'account',
  business_profile: { name: 'Sandbox', url: null },
  business_type: 'company',
  charges_enabled: true,
  country: 'US',
  created: 1_600_000_000,
  default_currency: 'usd',
  details_submitted: true,
  email: 'sandbox@example.com',
  metadata: {},
  payouts_enabled: true,
  settings: { dashboard: { display_name: 'Sandbox', timezone: 'Etc/UTC' } },
  type: 'standard',
}

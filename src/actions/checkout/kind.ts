import { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { KindDeps } from '../kind-deps.ts'
import { formatAmount } from '../../gate/money.ts'
import { defaultPolicy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { amountCents, billingResult, currency, line, providerId } from '../billing/fields.ts'
import { billingPerformer } from '../billing/perform.ts'
import { customerInTitle, customerWords, factsOf, quoted, readForCard } from '../billing/facts.ts'
import { readFromProvider, billingOf, invalidField, requireSupportedCurrency } from '../billing/reads.ts'
import type { ActionKind, ProviderFact } from '../kind.ts'

const quantityMax = 1_000_000

const fields = z.strictObject({
  amount_cents: amountCents.optional().meta({ description: 'Cents per unit. Required without `price`.' }),
  currency: currency.optional(),
  description: line(limits.descriptionCharsMax)
    .optional()
    .meta({ description: 'What the customer buys. Required with `amount_cents`.' }),
  price: providerId('price', 'price').optional().meta({ description: 'A price at the provider: `price_…`.' }),
  mode: z
    .enum(['payment', 'subscription'], 'must be payment or subscription')
    .optional()
    .meta({ description: 'With `price`; by default its own.' }),
  quantity: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(quantityMax, `must be at most ${quantityMax}`)
    .optional(),
  customer: providerId('customer', 'cus').optional().meta({ description: 'An existing customer: `cus_…`.' }),
})
const payload = fields.superRefine((given, context) => {
  const complain = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: given })
  if (given.price === undefined) {
    if (given.amount_cents === undefined)
      complain('amount_cents', 'is required, together with description, unless price is given')
    else if (given.description === undefined)
      complain('description', 'is required with amount_cents: the customer reads it')
    if (given.mode === 'subscription')
      complain('mode', 'subscription requires a price: an amount alone does not recur')
    return
  }
  for (const field of ['amount_cents', 'currency', 'description'] as const)
    if (given[field] !== undefined) complain(field, 'cannot be combined with price, which already defines it')
})
type Given = z.output<typeof payload>

/**
 * `amount_cents` is per unit; `total_cents`, which the policy judges, is that times the quantity. `credential` is the
 * fingerprint of the provider key in use.
 */
type FrozenCheckout = {
  mode: 'payment' | 'subscription'
  amount_cents: number
  quantity: number
  total_cents: number
  currency: string
  credential: string
  return_url?: string
} & Pick<Given, 'price' | 'description' | 'customer'>

/** A page of the payment provider where a customer can pay. It moves no money itself; the policy judges its total. */
export const checkout: ActionKind<Given, FrozenCheckout> = {
  kind: 'checkout',
  payload,
  defaultRule: defaultPolicy.kinds['checkout']!,
  isHttpProposable: false,
  movesMoneyAt: 'stripe',
  reaches: 'nobody',
  shows: {
    payload: z.object({
      mode: z.enum(['payment', 'subscription']),
      amount_cents: z.int(),
      quantity: z.int(),
      total_cents: z.int().meta({ description: '`amount_cents` times `quantity`.' }),
      currency: z.string(),
      credential: z.string().meta({ description: 'The fingerprint of the provider key.' }),
      price: z.string().optional(),
      description: z.string().optional(),
      customer: z.string().optional(),
      return_url: z.string().optional(),
    }),
    result: billingResult.extend({
      url: z.string().optional().meta({ description: 'The page where the customer pays.' }),
    }),
  },
  async freeze(deps, account, given) {
    const { quantity = 1, description, customer } = given
    const { fingerprint: credential, returnUrl } = await billingOf(deps, account)
    const { product, ...item } =
      given.price === undefined
        ? itemOf(given, given.currency ?? (await deps.currencyOf(account)))
        : await priced(deps, account, given)
    const total = item.amount_cents * quantity
    if (total > limits.amountCentsMax)
      throw invalidField(
        'quantity',
        `times the price exceeds ${formatAmount(limits.amountCentsMax, item.currency)}`,
      )
    const buyer =
      customer && (await readForCard(deps, account, (provider) => provider.readCustomer(customer)))
    return {
      payload: {
        ...item,
        quantity,
        total_cents: total,
        credential,
        ...(returnUrl === undefined ? {} : { return_url: returnUrl }),
        ...(description === undefined ? {} : { description }),
        ...(customer === undefined ? {} : { customer }),
      },
      facts: factsOf([
        ['Customer', buyer && customerWords(buyer.id, buyer)],
        ['Product', quoted(product)],
      ]),
    }
  },
  summary: (frozen, { facts }) => ({
    title: `Checkout page for ${formatAmount(frozen.total_cents, frozen.currency)}${paidBy(facts)}`,
    facts: told({
      Sells: `${frozen.quantity} × ${formatAmount(frozen.amount_cents, frozen.currency)}`,
      Mode: frozen.mode === 'subscription' ? 'a subscription' : 'one payment',
      Customer: frozen.customer,
    }),
    written: frozen.description === undefined ? [] : [['Description', frozen.description]],
    details: told({
      Price: frozen.price,
      'Returns to': frozen.return_url,
      'Provider key': frozen.credential,
    }),
  }),
  outcome: ({ total_cents, currency }) =>
    `Created a checkout page for ${formatAmount(total_cents, currency)}`,
  weigh: ({ total_cents, currency }) => ({ amountCents: total_cents, currency }),
  subject: ({ customer }) => customer,
  argumentsOf: ({ customer, price, description, mode, quantity }) => ({
    customer,
    price,
    description,
    mode,
    quantity,
  }),
  tool: {
    name: 'create_checkout',
    title: 'Propose a checkout',
    description:
      'Propose a page where a customer pays: `amount_cents` with `description`, or `price`. Its address is `result.url`, once confirmed.',
    group: 'billing',
    arguments: fields,
  },
  performer: billingPerformer<FrozenCheckout>((frozen, publicUrl) => ({
    type: 'checkout',
    mode: frozen.mode,
    item:
      frozen.price === undefined
        ? { unitCents: frozen.amount_cents, currency: frozen.currency, description: frozen.description! }
        : { price: frozen.price },
    quantity: frozen.quantity,
    totalCents: frozen.total_cents,
    currency: frozen.currency,
    credential: frozen.credential,
    ...(frozen.customer === undefined ? {} : { customer: frozen.customer }),
    successUrl: returnTo(frozen, publicUrl),
    cancelUrl: cancelledAt(returnTo(frozen, publicUrl)),
  })),
}

const returnTo = ({ return_url }: FrozenCheckout, publicUrl: string): string =>
  return_url ?? `${publicUrl.replace(/(?<!\/)\/+$/, '')}/checkout/done`

function cancelledAt(page: string): string {
  const url = new URL(page)
  url.searchParams.set('cancelled', '1')
  return url.href
}

const told = (given: Record<string, string | undefined>): [string, string][] =>
  Object.entries(given).filter((fact): fact is [string, string] => fact[1] !== undefined)

type Item = Pick<FrozenCheckout, 'mode' | 'amount_cents' | 'currency' | 'price'> & { product?: string }

const itemOf = (given: Given, currency: string): Item => ({
  mode: 'payment',
  amount_cents: given.amount_cents!,
  currency,
})

async function priced(deps: KindDeps, account: string, given: Given): Promise<Item> {
  const price = await readFromProvider(deps, account, (provider) => provider.readPrice(given.price!))
  if (!price)
    throw new GateError(
      'invalid',
      `Price ${given.price} was not found. Check the id at the payment provider.`,
      { param: 'price' },
    )
  if (!price.isActive) throw invalidField('price', 'is no longer active')
  if (price.unitCents === undefined)
    throw invalidField('price', 'has no fixed amount, so the policy cannot judge it')
  const mode = price.isRecurring ? 'subscription' : 'payment'
  if (given.mode !== undefined && given.mode !== mode)
    throw invalidField('mode', `must be ${mode}, the type of this price`)
  return {
    mode,
    amount_cents: price.unitCents,
    currency: requireSupportedCurrency('price', price.currency),
    price: price.id,
    ...(price.product === undefined ? {} : { product: price.product }),
  }
}

function paidBy(facts: ProviderFact[] | null | undefined): string {
  const customer = customerInTitle(facts)
  return customer === undefined ? '' : `, paid by ${customer}`
}

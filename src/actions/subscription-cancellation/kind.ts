import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { formatAmount } from '../../gate/money.ts'
import { defaultPolicy } from '../../gate/policy.ts'
import { billingResult, providerId } from '../billing/fields.ts'
import { billingPerformer } from '../billing/perform.ts'
import { customerInTitle, customerWords, dayOf, factsOf, quoted } from '../billing/facts.ts'
import { readFromProvider, invalidField, requireSupportedCurrency } from '../billing/reads.ts'
import type { ActionKind, ProviderFact } from '../kind.ts'

const fields = {
  subscription: providerId('subscription', 'sub').meta({ description: '`sub_…`' }),
  at_period_end: z.boolean().optional().meta({
    description: 'true (the default): it ends with its paid period. false: immediately.',
  }),
}
const payload = z.strictObject(fields)
type Given = z.output<typeof payload>
/** `amount_cents` is the price of one period, before discounts. */
type FrozenCancellation = {
  subscription: string
  at_period_end: boolean
  amount_cents: number
  currency: string
  interval: string
}

/** The cancellation of a subscription; the policy judges the price of one period. */
export const subscriptionCancellation: ActionKind<Given, FrozenCancellation> = {
  kind: 'subscription_cancellation',
  payload,
  defaultRule: defaultPolicy.kinds['subscription_cancellation']!,
  isHttpProposable: false,
  movesMoneyAt: 'stripe',
  reaches: 'nobody',
  shows: {
    payload: z.object({
      subscription: z.string(),
      at_period_end: z.boolean(),
      amount_cents: z.int().meta({ description: 'The price of one period, before discounts.' }),
      currency: z.string(),
      interval: z.string(),
    }),
    result: billingResult,
  },
  async freeze(deps, account, { subscription, at_period_end = true }) {
    const found = await readFromProvider(deps, account, (provider) => provider.readSubscription(subscription))
    if (!found)
      throw new GateError(
        'invalid',
        `Subscription ${subscription} was not found. Check the id at the payment provider.`,
        { param: 'subscription' },
      )
    if (['canceled', 'incomplete_expired'].includes(found.status)) {
      throw invalidField('subscription', 'is already cancelled')
    }
    if (at_period_end && found.isEndingAtPeriodEnd) {
      throw invalidField(
        'subscription',
        'already ends with its paid period. Set at_period_end to false to end it immediately',
      )
    }
    if (found.recurringCents === undefined) {
      throw invalidField(
        'subscription',
        'has no fixed price, so the policy cannot judge it. Cancel it at the provider',
      )
    }
    const currency = requireSupportedCurrency('subscription', found.currency)
    const { recurringCents, interval } = found
    return {
      payload: { subscription: found.id, at_period_end, amount_cents: recurringCents, currency, interval },
      facts: factsOf([
        ['Customer', customerWords(found.customer, found.customerDetails)],
        [
          'Plan',
          found.products.length === 0 ? undefined : found.products.map((name) => quoted(name)).join(', '),
        ],
        ['Price', `${formatAmount(recurringCents, currency)} per ${interval}`],
        ['Paid period ends', found.periodEndsAt && dayOf(found.periodEndsAt)],
      ]),
    }
  },
  summary: ({ subscription, at_period_end, amount_cents, currency }, { facts }) => ({
    title: `Cancel a subscription of ${formatAmount(amount_cents, currency)} per period${whose(facts)}`,
    facts: [['When', at_period_end ? 'at the end of its paid period' : 'immediately']],
    written: [],
    details: [['Subscription', subscription]],
  }),
  outcome: ({ subscription, at_period_end }) =>
    at_period_end
      ? `Subscription ${subscription} ends with its paid period`
      : `Cancelled subscription ${subscription}`,
  weigh: ({ amount_cents, currency }) => ({ amountCents: amount_cents, currency }),
  subject: ({ subscription }) => subscription,
  argumentsOf: ({ subscription, at_period_end }) => ({ subscription, at_period_end }),
  tool: {
    name: 'cancel_subscription',
    title: 'Propose a subscription cancellation',
    description: 'Propose to cancel a subscription.',
    group: 'billing',
    arguments: payload,
  },
  performer: billingPerformer<FrozenCancellation>(({ subscription, at_period_end }) => ({
    type: 'cancel_subscription',
    subscription,
    atPeriodEnd: at_period_end,
  })),
}

function whose(facts: ProviderFact[] | null | undefined): string {
  const customer = customerInTitle(facts)
  return customer === undefined ? '' : ` of ${customer}`
}

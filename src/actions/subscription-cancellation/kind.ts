import { z } from 'zod'
import { formatAmount } from '../../gate/money.ts'
import { defaultPolicy } from '../../gate/policy.ts'
import { providerId } from '../billing/fields.ts'
import { billingPerformer } from '../billing/perform.ts'
import { askProvider, refused, weighable } from '../billing/reads.ts'
import type { ActionKind } from '../kind.ts'

const fields = {
  subscription: providerId('subscription', 'sub').meta({ description: 'The subscription: `sub_…`.' }),
  at_period_end: z
    .boolean()
    .optional()
    .meta({ description: 'Whether it runs on until its paid period ends (the default) or ends at once.' }),
}
const payload = z.strictObject(fields)
type Given = z.output<typeof payload>
/** `amount_cents` is what one period of it costs, before discounts. */
type FrozenCancellation = {
  subscription: string
  at_period_end: boolean
  amount_cents: number
  currency: string
  interval: string
}

/** The end of a subscription, weighed by what one period of it costs. */
export const subscriptionCancellation: ActionKind<Given, FrozenCancellation> = {
  kind: 'subscription_cancellation',
  payload,
  defaultRule: defaultPolicy.kinds['subscription_cancellation']!,
  isHttpProposable: false,
  movesMoneyAt: 'stripe',
  reaches: 'nobody',
  async freeze(deps, account, { subscription, at_period_end = true }) {
    const found = await askProvider(deps, account, (provider) => provider.readSubscription(subscription))
    if (!found) throw refused('subscription', 'names no subscription of this account')
    if (['canceled', 'incomplete_expired'].includes(found.status)) {
      throw refused('subscription', 'is already cancelled')
    }
    if (at_period_end && found.isEndingAtPeriodEnd) {
      throw refused('subscription', 'already ends with its period; at_period_end false would end it at once')
    }
    if (found.recurringCents === undefined) {
      throw refused(
        'subscription',
        'has no fixed price, so the gate cannot weigh it: cancel it at the provider',
      )
    }
    return {
      subscription: found.id,
      at_period_end,
      amount_cents: found.recurringCents,
      currency: weighable('subscription', found.currency),
      interval: found.interval,
    }
  },
  summary: ({ subscription, at_period_end, amount_cents, currency }) => ({
    title: `Cancel a subscription of ${formatAmount(amount_cents, currency)} a period`,
    facts: [
      ['Subscription', subscription],
      ['When', at_period_end ? 'at the end of its paid period' : 'at once'],
    ],
    written: [],
  }),
  weigh: ({ amount_cents, currency }) => ({ amountCents: amount_cents, currency }),
  subject: ({ subscription }) => subscription,
  tool: {
    name: 'cancel_subscription',
    title: 'Propose a subscription cancellation',
    description: 'Cancel a subscription, at the end of its period or at once.',
    group: 'billing',
    arguments: payload,
  },
  performer: billingPerformer<FrozenCancellation>(({ subscription, at_period_end }) => ({
    type: 'cancel_subscription',
    subscription,
    atPeriodEnd: at_period_end,
  })),
}

import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { formatAmount } from '../../gate/money.ts'
import { defaultPolicy } from '../../gate/policy.ts'
import { amountCents, billingResult, providerId } from '../billing/fields.ts'
import { billingPerformer } from '../billing/perform.ts'
import {
  customerInTitle,
  customerLabel,
  customerWords,
  dayOf,
  factOf,
  factsOf,
  quoted,
} from '../billing/facts.ts'
import { readFromProvider, invalidField, requireSupportedCurrency } from '../billing/reads.ts'
import type { ActionKind, ProviderFact } from '../kind.ts'

const fields = {
  payment: providerId('payment', 'pi', 'ch').meta({ description: '`pi_…` or `ch_…`' }),
  amount_cents: amountCents.optional().meta({ description: 'Cents. Defaults to all that remains.' }),
  reason: z
    .enum(
      ['duplicate', 'fraudulent', 'requested_by_customer'],
      'must be duplicate, fraudulent or requested_by_customer',
    )
    .optional(),
}
const payload = z.strictObject(fields)
type Given = z.output<typeof payload>

/** The amount is fixed when the refund is proposed, so that the member consents to exactly what is performed. */
type FrozenRefund = {
  payment: string
  amount_cents: number
  currency: string
  /** In the payload, because refunds are added up by it. */
  customer?: string
} & Pick<Given, 'reason'>

const paidLabel = 'Paid'
const remainingLabel = 'Remaining after'

/** Money back to a customer: the full remaining amount of a payment, or part of it. */
export const refund: ActionKind<Given, FrozenRefund> = {
  kind: 'refund',
  payload,
  defaultRule: defaultPolicy.kinds['refund']!,
  isHttpProposable: false,
  movesMoneyAt: 'stripe',
  reaches: 'nobody',
  shows: {
    payload: z.object({
      payment: z.string(),
      amount_cents: z.int(),
      currency: z.string(),
      customer: z.string().optional().meta({ description: 'Whose payment it is, where Stripe names one.' }),
      reason: z.string().optional(),
    }),
    result: billingResult,
  },
  async freeze(deps, account, { payment, amount_cents, reason }) {
    const found = await readFromProvider(deps, account, (provider) => provider.readPayment(payment))
    if (!found)
      throw new GateError(
        'invalid',
        `Payment ${payment} was not found. Use list_payments to see available payments.`,
        { param: 'payment' },
      )
    if (found.status !== 'succeeded')
      throw invalidField('payment', `has status ${found.status}: nothing was paid`)
    const currency = requireSupportedCurrency('payment', found.currency)
    const remaining = found.amountCents - found.refundedCents
    if (remaining <= 0) throw invalidField('payment', 'is already fully refunded')
    if (amount_cents !== undefined && amount_cents > remaining) {
      throw invalidField('amount_cents', `exceeds the remaining ${formatAmount(remaining, currency)}`)
    }
    const cents = amount_cents ?? remaining
    return {
      payload: {
        payment: found.id,
        amount_cents: cents,
        currency,
        ...(found.customer === null ? {} : { customer: found.customer }),
        ...(reason === undefined ? {} : { reason }),
      },
      facts: factsOf([
        [customerLabel, customerWords(found.customer, found.customerDetails)],
        ['Description', quoted(found.description)],
        [paidLabel, `${formatAmount(found.amountCents, currency)} on ${dayOf(found.createdAt)}`],
        [
          'Refunded before',
          found.refundedCents === 0 ? 'nothing' : formatAmount(found.refundedCents, currency),
        ],
        [remainingLabel, formatAmount(remaining - cents, currency)],
      ]),
    }
  },
  summary: ({ payment, amount_cents, currency, reason }, { facts }) => ({
    title: `Refund ${formatAmount(amount_cents, currency)}${ofWhat(facts)}`,
    facts: reason === undefined ? [] : [['Reason', reason.replaceAll('_', ' ')]],
    written: [],
    details: [['Payment', payment]],
  }),
  editable: ({ currency }) => [
    { at: '/amount_cents', label: 'Amount', way: 'lower', currency, leaves: remainingLabel },
  ],
  outcome({ amount_cents, currency, payment }, _result, facts) {
    const customer = facts.find(([label]) => label === customerLabel)?.[1]
    const to = customer === undefined ? `of payment ${payment}` : `to ${customer}`
    return `Refunded ${formatAmount(amount_cents, currency)} ${to}`
  },
  weigh: ({ amount_cents, currency }) => ({ amountCents: amount_cents, currency }),
  subject: ({ payment }) => payment,
  customer: ({ customer }) => customer,
  argumentsOf: ({ payment, customer, reason }) => ({ payment, customer, reason }),
  tool: {
    name: 'issue_refund',
    title: 'Propose a refund',
    description: 'Propose to refund a payment, in full or in part. Find it with list_payments.',
    group: 'billing',
    arguments: payload,
  },
  performer: billingPerformer<FrozenRefund>(({ payment, amount_cents, currency, reason }) => ({
    type: 'refund',
    payment,
    amountCents: amount_cents,
    currency,
    ...(reason === undefined ? {} : { reason }),
  })),
}

/** The words for the payment and its recipient, as far as the provider named them. */
function ofWhat(facts: ProviderFact[] | null | undefined): string {
  const paid = factOf(facts, paidLabel)?.split(' on ')[0]
  const customer = customerInTitle(facts)
  return `${paid === undefined ? '' : ` of ${paid}`}${customer === undefined ? '' : ` to ${customer}`}`
}

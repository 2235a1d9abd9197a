import { z } from 'zod'
import { formatAmount } from '../../gate/money.ts'
import { defaultPolicy } from '../../gate/policy.ts'
import { amountCents, providerId } from '../billing/fields.ts'
import { billingPerformer } from '../billing/perform.ts'
import { askProvider, refused, weighable } from '../billing/reads.ts'
import type { ActionKind } from '../kind.ts'

const fields = {
  payment: providerId('payment', 'pi', 'ch').meta({ description: 'The payment: `pi_…` or `ch_…`.' }),
  amount_cents: amountCents.optional().meta({ description: 'In cents. By default all that remains.' }),
  reason: z
    .enum(
      ['duplicate', 'fraudulent', 'requested_by_customer'],
      'must be duplicate, fraudulent or requested_by_customer',
    )
    .optional(),
}
const payload = z.strictObject(fields)
type Given = z.output<typeof payload>

/** What is consented to and performed: the amount is fixed when proposed, whatever is refunded elsewhere meanwhile. */
type FrozenRefund = { payment: string; amount_cents: number; currency: string } & Pick<Given, 'reason'>

/** Money back to a customer, all that remains of a payment or a part of it. */
export const refund: ActionKind<Given, FrozenRefund> = {
  kind: 'refund',
  payload,
  defaultRule: defaultPolicy.kinds['refund']!,
  isHttpProposable: false,
  movesMoneyAt: 'stripe',
  reaches: 'nobody',
  async freeze(deps, account, { payment, amount_cents, reason }) {
    const found = await askProvider(deps, account, (provider) => provider.readPayment(payment))
    if (!found) throw refused('payment', 'names no payment: list_payments shows those there are')
    if (found.status !== 'succeeded') throw refused('payment', `is ${found.status}: nothing was paid`)
    const currency = weighable('payment', found.currency)
    const remaining = found.amountCents - found.refundedCents
    if (remaining <= 0) throw refused('payment', 'is already refunded')
    if (amount_cents !== undefined && amount_cents > remaining) {
      throw refused('amount_cents', `is more than the ${formatAmount(remaining, currency)} that remain`)
    }
    return {
      payment: found.id,
      amount_cents: amount_cents ?? remaining,
      currency,
      ...(reason === undefined ? {} : { reason }),
    }
  },
  summary: ({ payment, amount_cents, currency, reason }) => ({
    title: `Refund ${formatAmount(amount_cents, currency)}`,
    facts: [['Payment', payment], ...(reason === undefined ? [] : [['Reason', reason] as [string, string]])],
    written: [],
  }),
  weigh: ({ amount_cents, currency }) => ({ amountCents: amount_cents, currency }),
  subject: ({ payment }) => payment,
  tool: {
    name: 'issue_refund',
    title: 'Propose a refund',
    description: 'Refund a payment, or a part of it.',
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

import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { formatAmount } from '../../gate/money.ts'
import { defaultPolicy } from '../../gate/policy.ts'
import { amountCents, billingResult, providerId } from '../billing/fields.ts'
import { billingPerformer } from '../billing/perform.ts'
import { readFromProvider, invalidField, requireSupportedCurrency } from '../billing/reads.ts'
import type { ActionKind } from '../kind.ts'

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
type FrozenRefund = { payment: string; amount_cents: number; currency: string } & Pick<Given, 'reason'>

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
      )
    if (found.status !== 'succeeded')
      throw invalidField('payment', `has status ${found.status}: nothing was paid`)
    const currency = requireSupportedCurrency('payment', found.currency)
    const remaining = found.amountCents - found.refundedCents
    if (remaining <= 0) throw invalidField('payment', 'is already fully refunded')
    if (amount_cents !== undefined && amount_cents > remaining) {
      throw invalidField('amount_cents', `exceeds the remaining ${formatAmount(remaining, currency)}`)
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

import { z } from 'zod'
import { providerId } from '../../actions/billing/fields.ts'
import { readFromProvider } from '../../actions/billing/reads.ts'
import type { Payment } from '../../providers/billing.ts'
import { actingMember } from '../members/actor.ts'
import { defineOperation } from '../operation.ts'
import { Actor } from '../schemas.ts'

const paymentsDefault = 20
const paymentsMax = 100

const PaymentView = z.object({
  id: z.string(),
  amount_cents: z.int(),
  refunded_cents: z.int(),
  currency: z.string(),
  status: z.string(),
  customer: z.string().nullable(),
  description: z.string().nullable(),
  created_at: z.iso.datetime(),
})

/** Lists payments, newest first, with only the fields that are needed to choose one for a refund. */
export const listPayments = defineOperation({
  name: 'list_payments',
  title: 'List payments',
  summary: 'List the payments of the account, newest first, to choose one for a refund.',
  tool: { group: 'billing', readOnly: true, destructive: false, idempotent: true, openWorld: true },
  input: z.strictObject({
    actor: Actor,
    customer: providerId('customer', 'cus').optional(),
    limit: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(paymentsMax, `must be at most ${paymentsMax}`)
      .default(paymentsDefault),
    after: providerId('payment', 'pi').optional().meta({ description: '`next_after` of the page before.' }),
  }),
  output: z.object({ payments: z.array(PaymentView), next_after: z.string().optional() }),
  errors: ['not_found', 'forbidden', 'conflict', 'invalid', 'unavailable'],
  powers: ['read'],
  isKeyed: false,
  async run(context, { actor, ...page }) {
    await actingMember(context, actor)
    const { payments, hasMore } = await readFromProvider(context.deps, context.account, (provider) =>
      provider.listPayments(page),
    )
    const last = payments.at(-1)
    return {
      status: 200,
      body: {
        payments: payments.map(view),
        ...(hasMore && last ? { next_after: last.id } : {}),
      },
    }
  },
})

function view(payment: Payment): z.output<typeof PaymentView> {
  return {
    id: payment.id,
    amount_cents: payment.amountCents,
    refunded_cents: payment.refundedCents,
    currency: payment.currency,
    status: payment.status,
    customer: payment.customer,
    description: payment.description,
    created_at: payment.createdAt.toISOString(),
  }
}

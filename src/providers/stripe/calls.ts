import { z } from 'zod'
import { checkoutOf } from './checkout.ts'
import type { CallOf, CreatingCall, Creation } from './creation.ts'
import { assertExpected } from './errors.ts'
import { cents, currency, idOf, reference, parseAnswer, status } from './shapes.ts'

/** The parameters depend only on the frozen call: a retry must send the same bytes under its key. Pure. */
export function creationOf(call: CreatingCall): Creation {
  switch (call.type) {
    case 'refund':
      return refundOf(call)
    case 'payout':
      return payoutOf(call)
    case 'checkout':
      return checkoutOf(call)
  }
}

const refundShape = z.object({
  object: z.literal('refund'),
  id: idOf('re', 'pyr'),
  amount: cents,
  currency,
  status,
  charge: reference,
  payment_intent: reference,
})

/** `failed` and `canceled` are regular answers: the refund was created, and its status is the outcome. */
function refundOf(call: CallOf<'refund'>): Creation {
  const payment = call.payment.startsWith('pi_') ? { payment_intent: call.payment } : { charge: call.payment }
  return {
    create: (stripe, options) =>
      stripe.refunds.create(
        {
          ...payment,
          amount: call.amountCents,
          ...(call.reason === undefined ? {} : { reason: call.reason }),
          metadata: { action_id: call.reference },
        },
        options,
      ),
    list: (stripe, page) => stripe.refunds.list({ ...payment, ...page }),
    readAnswer(answer) {
      const { id, amount, currency, status, ...of } = parseAnswer(refundShape, answer)
      assertExpected(of.payment_intent === call.payment || of.charge === call.payment)
      assertExpected(amount === call.amountCents && currency === call.currency)
      return { state: 'ok', id, status, amountCents: amount, currency }
    },
  }
}

const payoutShape = z.object({ object: z.literal('payout'), id: idOf('po'), amount: cents, currency, status })

/** A payout from the balance to the account's own bank, at standard speed. */
function payoutOf(call: CallOf<'payout'>): Creation {
  return {
    create: (stripe, options) =>
      stripe.payouts.create(
        {
          amount: call.amountCents,
          currency: call.currency,
          method: 'standard',
          ...(call.description === undefined ? {} : { description: call.description }),
          metadata: { action_id: call.reference },
        },
        options,
      ),
    list: (stripe, page, since) => stripe.payouts.list({ created: { gte: since }, ...page }),
    readAnswer(answer) {
      const { id, amount, currency, status } = parseAnswer(payoutShape, answer)
      assertExpected(amount === call.amountCents && currency === call.currency)
      return { state: 'ok', id, status, amountCents: amount, currency }
    },
  }
}

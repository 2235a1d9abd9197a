import { z } from 'zod'
import { formatAmount } from '../../../src/gate/money.ts'
import { endpoint, type StripeEndpoint } from './endpoint.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { type Charge, newId, nowSeconds, type Refund } from './objects.ts'
import { expand, mergeMetadata, metadata, text, whole } from './parameters.ts'
import { balanceWith } from './payouts.ts'
import type { StripeStore } from './store.ts'

const parameters = z.strictObject({
  charge: text(255).optional(),
  payment_intent: text(255).optional(),
  amount: whole(1).optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata: metadata.optional(),
  expand,
})
type Given = z.output<typeof parameters>

/** Refunds of a charge: the given amount, or everything that remains. */
export const refundEndpoints: StripeEndpoint[] = [
  endpoint('POST', '/refunds', parameters, (given, _call, store) => {
    const charge = chargeOf(given, store)
    const { amount = charge.amount - charge.amount_refunded, reason = null } = given
    checkRefundable(charge, amount)
    const refund = makeRefund(charge, {
      id: newId('re_'),
      amount,
      reason,
      created: nowSeconds(),
      metadata: mergeMetadata({}, given.metadata),
    })
    const { currency, payment_intent: payment } = charge
    return {
      body: refund,
      put: [refund, refunded(charge, amount), balanceWith(store.balance(), -amount, currency)],
      operation: {
        operation: 'refund',
        id: refund.id,
        text: `Refunded ${formatAmount(amount, currency)} of ${formatAmount(charge.amount, currency)} of ${payment}`,
        amount,
        currency,
        metadata: refund.metadata,
      },
    }
  }),
]

/** A charge after a refund of `amount`. */
export function refunded(charge: Charge, amount: number): Charge {
  const total = charge.amount_refunded + amount
  return { ...charge, amount_refunded: total, refunded: total === charge.amount }
}

export function makeRefund(
  { id: charge, currency, payment_intent }: Charge,
  made: Pick<Refund, 'id' | 'amount' | 'reason' | 'created' | 'metadata'>,
): Refund {
  const card = { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' }
  return {
    ...made,
    object: 'refund',
    balance_transaction: made.id.replace('re_', 'txn_'),
    charge,
    currency,
    destination_details: { card, type: 'card' },
    payment_intent,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  } as Refund
}

function chargeOf({ charge, payment_intent: payment }: Given, store: StripeStore): Charge {
  if (charge !== undefined && payment !== undefined)
    throw invalidRequest('You may only specify one of these parameters: charge, payment_intent.', {
      code: 'parameters_exclusive',
    })
  if (charge !== undefined) return found(charge, store)
  if (payment === undefined)
    throw invalidRequest('One of the following params should be provided: payment_intent or charge.', {
      code: 'parameter_missing',
      param: 'payment_intent',
    })
  const intent = store.find('payment_intent', payment)
  if (!intent) throw noSuch('payment_intent', payment, { param: 'payment_intent' })
  if (intent.status !== 'succeeded')
    throw invalidRequest(`This PaymentIntent (${payment}) does not have a successful charge to refund.`, {
      param: 'payment_intent',
    })
  return found(intent.latest_charge!, store)
}

function found(id: string, store: StripeStore): Charge {
  const charge = store.find('charge', id)
  if (!charge) throw noSuch('charge', id, { param: 'charge' })
  return charge
}

function checkRefundable({ id, amount: paid, amount_refunded, currency, status }: Charge, amount: number) {
  if (status !== 'succeeded')
    throw invalidRequest(`Charge ${id} was not successful and cannot be refunded.`, { param: 'charge' })
  if (amount_refunded === paid)
    throw invalidRequest(`Charge ${id} has already been refunded.`, { code: 'charge_already_refunded' })
  // Stripe sends no code here.
  if (amount > paid - amount_refunded)
    throw invalidRequest(
      `Refund amount (${formatAmount(amount, currency)}) is greater than unrefunded amount on charge (${formatAmount(paid - amount_refunded, currency)})`,
      { param: 'amount' },
    )
}

import type { z } from 'zod'
import type { Payment } from '../billing.ts'
import { assertExpected } from './errors.ts'
import type { chargeShape, paymentIntentShape } from './shapes.ts'

type Charge = z.output<typeof chargeShape>
type PaymentIntent = z.output<typeof paymentIntentShape>

/**
 * The received and refunded amounts of a payment intent. Pure.
 * @throws UnexpectedAnswer where money was received but no charge is attached
 */
export function paymentOfIntent(intent: PaymentIntent): Payment {
  const { amount_received, latest_charge } = intent
  assertExpected(amount_received === 0 || latest_charge !== null)
  return {
    ...described(intent),
    amountCents: amount_received,
    refundedCents: latest_charge ? refundedCents(latest_charge) : 0,
  }
}

/** The same for a charge without a payment intent. Pure. */
export function paymentOfCharge(charge: Charge): Payment {
  return {
    ...described(charge),
    amountCents: charge.amount_captured ?? charge.amount,
    refundedCents: refundedCents(charge),
  }
}

function described({ id, currency, status, customer, description, created }: Charge | PaymentIntent) {
  return { id, currency, status, customer, description, createdAt: created }
}

/**
 * Stripe also counts the uncaptured part of an authorization as refunded, although it was never received. Whether it
 * counts a pending refund is not documented; it refuses an excessive refund itself.
 * @source woocommerce/woocommerce-gateway-stripe#1073: amount 20675, received 20300, amount_refunded 375
 */
function refundedCents({ amount, amount_captured = amount, amount_refunded }: Charge): number {
  const neverCaptured = Math.max(0, amount - amount_captured)
  return Math.max(0, amount_refunded - neverCaptured)
}

import type { z } from 'zod'
import type { Payment } from '../billing.ts'
import { assertExpected } from './errors.ts'
import type { chargeShape, paymentIntentShape } from './shapes.ts'

type Charge = z.output<typeof chargeShape>
type PaymentIntent = z.output<typeof paymentIntentShape>

/**
 * What a payment intent brought in, and what of it went back. Pure.
 * @throws UnexpectedAnswer where money came in and no charge says what became of it
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

/** The same of a charge that was made without a payment intent. Pure. */
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
 * Stripe counts the part of an authorization that was never captured as refunded too; it never came in. Whether it
 * counts a refund that is still pending is not documented: one too many it refuses by itself.
 * @source woocommerce/woocommerce-gateway-stripe#1073: amount 20675, received 20300, amount_refunded 375
 */
function refundedCents({ amount, amount_captured = amount, amount_refunded }: Charge): number {
  const neverCaptured = Math.max(0, amount - amount_captured)
  return Math.max(0, amount_refunded - neverCaptured)
}

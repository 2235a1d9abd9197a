import type { Charge, PaymentIntent } from './objects.ts'

interface Made {
  /** Used after `pi_` and `ch_`. */
  name: string
  amount: number
  currency: string
  customer: string
  description: string
  /** Whole seconds since 1970. */
  created: number
  isDeclined: boolean
}

/** A card payment as intent and charge: succeeded or declined. */
export function makePayment({ name, isDeclined, ...made }: Made): { intent: PaymentIntent; charge: Charge } {
  const received = isDeclined ? 0 : made.amount
  const charge = {
    ...made,
    ...ordinaryCharge,
    id: `ch_${name}`,
    object: 'charge',
    amount_captured: received,
    amount_refunded: 0,
    captured: !isDeclined,
    failure_code: isDeclined ? declined.code : null,
    failure_message: isDeclined ? declined.message : null,
    paid: !isDeclined,
    payment_intent: `pi_${name}`,
    refunded: false,
    status: isDeclined ? 'failed' : 'succeeded',
  } as Charge
  const intent = {
    ...made,
    ...ordinaryIntent,
    id: `pi_${name}`,
    object: 'payment_intent',
    amount_received: received,
    last_payment_error: isDeclined ? { type: 'card_error', ...declined } : null,
    latest_charge: charge.id,
    status: isDeclined ? 'requires_payment_method' : 'succeeded',
  } as PaymentIntent
  return { intent, charge }
}

const declined = { code: 'card_declined', message: 'Your card was declined.' }

/** Further fields of Stripe's answers, constant in the sandbox. */
const ordinary = {
  application: null,
  application_fee_amount: null,
  livemode: false,
  metadata: {},
  on_behalf_of: null,
  receipt_email: null,
  review: null,
  shipping: null,
  source: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  transfer_data: null,
  transfer_group: null,
}

const ordinaryIntent = {
  ...ordinary,
  amount_capturable: 0,
  automatic_payment_methods: null,
  canceled_at: null,
  cancellation_reason: null,
  capture_method: 'automatic_async',
  client_secret: null,
  confirmation_method: 'automatic',
  next_action: null,
  payment_method: null,
  payment_method_options: {},
  payment_method_types: ['card'],
  processing: null,
  setup_future_usage: null,
}

const ordinaryCharge = {
  ...ordinary,
  application_fee: null,
  balance_transaction: null,
  calculated_statement_descriptor: 'SANDBOX',
  disputed: false,
  failure_balance_transaction: null,
  fraud_details: {},
  outcome: null,
  payment_method: null,
  payment_method_details: { card: { brand: 'visa', last4: '4242' }, type: 'card' },
  receipt_number: null,
  receipt_url: null,
  source_transfer: null,
}

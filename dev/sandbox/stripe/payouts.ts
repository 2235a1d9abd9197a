import { z } from 'zod'
import { formatAmount } from '../../../src/gate/money.ts'
import { endpoint, type StripeEndpoint } from './endpoint.ts'
import { invalidRequest } from './errors.ts'
import { type Balance, newId, nowSeconds, type Payout } from './objects.ts'
import { currency, expand, mergeMetadata, metadata, text, whole } from './parameters.ts'

const parameters = z.strictObject({
  amount: whole(1),
  currency,
  description: text().optional(),
  metadata: metadata.optional(),
  method: z.enum(['standard', 'instant']).optional(),
  statement_descriptor: text(22).optional(),
  expand,
})
type Given = z.output<typeof parameters>

/** Payouts from the balance to the account's bank. */
export const payoutEndpoints: StripeEndpoint[] = [
  endpoint('POST', '/payouts', parameters, (given, _call, store) => {
    const { amount, currency } = given
    const balance = store.balance()
    checkCovered(balance, amount, currency)
    const payout = makePayout(given)
    return {
      body: payout,
      put: [payout, balanceWith(balance, -amount, currency)],
      operation: {
        operation: 'payout',
        id: payout.id,
        text: `Paid out ${formatAmount(amount, currency)} to the account's bank`,
        amount,
        currency,
        metadata: payout.metadata,
      },
    }
  }),
]

/** The balance after adding an amount; negative amounts are subtracted. */
export function balanceWith(balance: Balance, amount: number, currency: string): Balance {
  const changed = balance.available.map((fund) =>
    fund.currency === currency ? { ...fund, amount: fund.amount + amount } : fund,
  )
  return { ...balance, available: changed }
}

function checkCovered({ available }: Balance, amount: number, currency: string): void {
  const fund = available.find((each) => each.currency === currency)
  if (!fund)
    throw invalidRequest(`Sorry, you don't have any external accounts in that currency (${currency}).`, {
      param: 'currency',
    })
  if (fund.amount < amount)
    throw invalidRequest(
      'You have insufficient funds in your Stripe account for this transfer. Your card balance is too low. You can use the /v1/balance endpoint to view your Stripe balance.',
      { code: 'balance_insufficient' },
    )
}

const secondsPerDay = 86_400

function makePayout({
  amount,
  currency,
  description,
  metadata,
  method,
  statement_descriptor,
}: Given): Payout {
  const created = nowSeconds()
  const id = newId('po_')
  return {
    id,
    object: 'payout',
    amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: (Math.floor(created / secondsPerDay) + 2) * secondsPerDay,
    automatic: false,
    balance_transaction: id.replace('po_', 'txn_'),
    created,
    currency,
    description: description ?? null,
    destination: 'ba_Sandbox',
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: false,
    metadata: mergeMetadata({}, metadata),
    method: method ?? 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: 'not_applicable',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: statement_descriptor ?? null,
    status: 'pending',
    trace_id: null,
    type: 'bank_account',
  } as Payout
}

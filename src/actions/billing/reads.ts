import type { KindDeps } from '../kind-deps.ts'
import { GateError } from '../../errors.ts'
import { isCurrency, currencies } from '../../gate/money.ts'
import { saying } from '../../gate/result-words.ts'
import { type BillingAccess, BillingError, type BillingProvider } from '../../providers/billing.ts'

/**
 * The payment provider of an account.
 * @throws GateError `conflict` if none is connected
 */
export async function billingOf(deps: KindDeps, account: string): Promise<BillingAccess> {
  const access = await deps.billing(account)
  if (!access) {
    throw new GateError(
      'conflict',
      'No payment provider is connected to this account. Use connect_integration with provider stripe, or ask an administrator.',
      { detail: 'provider_not_connected' },
    )
  }
  return access
}

/**
 * Reads from the payment provider of an account.
 * @throws GateError `conflict` if none is connected or it refuses the key, `invalid` if it does not know an id,
 *   `unavailable` if it does not answer
 */
export async function readFromProvider<T>(
  deps: KindDeps,
  account: string,
  ask: (provider: BillingProvider) => Promise<T>,
): Promise<T> {
  const { provider } = await billingOf(deps, account)
  try {
    return await ask(provider)
  } catch (error) {
    if (!(error instanceof BillingError)) throw error
    if (error.code === 'resource_missing')
      throw new GateError(
        'invalid',
        'The payment provider does not know one of these ids. Check them and try again.',
      )
    if (error.reason === 'refused') {
      throw new GateError(
        'conflict',
        `The payment provider refuses the account's key (${error.code})${saying(error.says)}. Ask an administrator to connect it again.`,
        { detail: 'provider_key_refused' },
      )
    }
    throw new GateError(
      'unavailable',
      `The payment provider did not answer (${error.code}). Nothing was recorded. Try again.`,
      { retryAfterSeconds: Math.ceil((error.retryAfterMs ?? 5_000) / 1_000) },
    )
  }
}

/** @throws GateError `invalid` if the currency is not supported */
export function requireSupportedCurrency(field: string, currency: string): string {
  if (isCurrency(currency)) return currency
  throw invalidField(
    field,
    `is in ${currency}, which is not supported; supported currencies: ${currencies.join(', ')}`,
  )
}

/** The error for one field, before anything is recorded. */
export function invalidField(field: string, why: string): GateError {
  return new GateError('invalid', `${field} ${why}.`, { param: field })
}

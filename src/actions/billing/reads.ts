import type { KindDeps } from '../kind-deps.ts'
import { GateError } from '../../errors.ts'
import { isCurrency, currencies } from '../../gate/money.ts'
import { type BillingAccess, BillingError, type BillingProvider } from '../../providers/billing.ts'

/**
 * The payment provider of an account.
 * @throws GateError `conflict` where none is connected
 */
export async function billingOf(deps: KindDeps, account: string): Promise<BillingAccess> {
  const access = await deps.billing(account)
  if (!access) {
    throw new GateError(
      'conflict',
      'No payment provider is connected to this account. Ask an admin, or use connect_integration with provider stripe.',
    )
  }
  return access
}

/**
 * Asks the payment provider of an account.
 * @throws GateError `conflict` where none is connected or it refuses the key, `invalid` where an id is not its own,
 *   `unavailable` where it does not answer
 */
export async function askProvider<T>(
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
      throw new GateError('invalid', 'The payment provider knows nothing by one of these ids: check them.')
    if (error.reason === 'refused') {
      throw new GateError(
        'conflict',
        `The payment provider refuses the account's key (${error.code}). Ask an admin to connect it again.`,
      )
    }
    throw new GateError(
      'unavailable',
      `The payment provider does not answer (${error.code}). Nothing was recorded; try again.`,
      Math.ceil((error.retryAfterMs ?? 5_000) / 1_000),
    )
  }
}

/** @throws GateError `invalid` where the gate cannot weigh amounts of that currency */
export function weighable(field: string, currency: string): string {
  if (isCurrency(currency)) return currency
  throw refused(field, `is in ${currency}, and the gate weighs only ${currencies.join(', ')}`)
}

/** The refusal of a field, before anything is recorded. */
export function refused(field: string, why: string): GateError {
  return new GateError('invalid', `${field} ${why}.`)
}

import { type StripeOptions, keyFault, stripeSender } from './client.ts'
import { billingError } from './outcome.ts'

/** `refused`: this key will not do. `unavailable`: Stripe could not be asked; try again. Both with a code. */
export type KeyCheck = 'ok' | { refused: string } | { unavailable: string }

/**
 * Asks Stripe whether a key is good, by reading the balance: nothing is changed.
 * @param apiKey  needs at least read access to the balance
 * @throws Error when the address cannot be used
 */
export async function checkStripeKey(
  apiKey: string,
  where: Pick<StripeOptions, 'apiBase' | 'isStandIn'> = {},
): Promise<KeyCheck> {
  const fault = keyFault(apiKey)
  if (fault) return { refused: fault }
  const send = stripeSender({ apiKey, ...where, timeoutMs: 10_000 })
  try {
    const { object } = await send((stripe) => stripe.balance.retrieve())
    return object === 'balance' ? 'ok' : { unavailable: 'unexpected_answer' }
  } catch (error) {
    const { reason, code } = billingError(error)
    return reason === 'refused' ? { refused: code } : { unavailable: code }
  }
}

/** Whose account a key is of. */
export interface StripeAccount {
  id: string
  name: string | null
}

/**
 * Asks Stripe whose account a key is of: nothing is changed.
 * @returns undefined where the key may not read that, as restricted keys need not, or Stripe could not be asked
 */
export async function readStripeAccount(
  apiKey: string,
  where: Pick<StripeOptions, 'apiBase' | 'isStandIn'> = {},
): Promise<StripeAccount | undefined> {
  const send = stripeSender({ apiKey, ...where, timeoutMs: 5_000 })
  try {
    const found = await send((stripe) => stripe.accounts.retrieveCurrent())
    if (typeof found.id !== 'string' || !/^acct_\w{1,64}$/.test(found.id)) return undefined
    const name = found.settings?.dashboard?.display_name ?? found.business_profile?.name
    return {
      id: found.id,
      name: typeof name === 'string' && name !== '' ? name.slice(0, nameCharsMax) : null,
    }
  } catch {
    return undefined
  }
}

const nameCharsMax = 100

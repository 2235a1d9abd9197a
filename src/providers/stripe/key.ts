import { type StripeOptions, keyFault, stripeSender } from './client.ts'
import { billingError } from './outcome.ts'
import { limits } from '../../limits.ts'

const stripeAccountReadMs = 5_000

const stripeAccountNameCharsMax = 100

/** `refused`: the key cannot be used. `unavailable`: the provider could not be reached; try again. Both with a code. */
export type KeyCheck = 'ok' | { refused: string } | { unavailable: string }

/**
 * Checks a Stripe key by reading the balance. Changes nothing.
 * @param apiKey  needs at least read access to the balance
 * @throws Error where the address is invalid
 */
export async function checkStripeKey(
  apiKey: string,
  where: Pick<StripeOptions, 'apiBase' | 'isStandIn'> = {},
): Promise<KeyCheck> {
  const fault = keyFault(apiKey)
  if (fault) return { refused: fault }
  const send = stripeSender({ apiKey, ...where, timeoutMs: limits.credentialCheckMs })
  try {
    const { object } = await send((stripe) => stripe.balance.retrieve())
    return object === 'balance' ? 'ok' : { unavailable: 'unexpected_answer' }
  } catch (error) {
    const { reason, code } = billingError(error)
    return reason === 'refused' ? { refused: code } : { unavailable: code }
  }
}

/** The account of a key. */
export interface StripeAccount {
  id: string
  name: string | null
}

/**
 * Reads the account of a key. Changes nothing.
 * @returns undefined where the key may not read it, as is usual for restricted keys, or Stripe could not be reached
 */
export async function readStripeAccount(
  apiKey: string,
  where: Pick<StripeOptions, 'apiBase' | 'isStandIn'> = {},
): Promise<StripeAccount | undefined> {
  const send = stripeSender({ apiKey, ...where, timeoutMs: stripeAccountReadMs })
  try {
    const found = await send((stripe) => stripe.accounts.retrieveCurrent())
    if (typeof found.id !== 'string' || !/^acct_\w{1,64}$/.test(found.id)) return undefined
    const name = found.settings?.dashboard?.display_name ?? found.business_profile?.name
    return {
      id: found.id,
      name: typeof name === 'string' && name !== '' ? name.slice(0, stripeAccountNameCharsMax) : null,
    }
  } catch {
    return undefined
  }
}

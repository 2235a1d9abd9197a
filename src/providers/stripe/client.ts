import { Stripe } from 'stripe'
import { stripeAddress } from './address.ts'
import { stripeHttp } from './http.ts'
import { AbandonedRequest } from './errors.ts'
import { untilAborted } from '../until-aborted.ts'

export interface StripeOptions {
  /** A restricted key (`rk_…`), or a secret one (`sk_…`). */
  apiKey: string
  /** `https://host[:port]`, plain http on loopback only. Absent: Stripe itself. */
  apiBase?: URL | string
  /** Nothing secret is sent: plain http may go to another container. */
  isStandIn?: boolean
  /** For one HTTP call, from its start to the last byte of its answer. */
  timeoutMs?: number
}

/**
 * Makes one request. Rejects with what the SDK throws, or with `GaveUp` when its time is over or the signal fires: the
 * SDK takes no signal, so a request under way is left to itself and may still be done.
 */
export type StripeSend = <T>(request: (stripe: Stripe) => Promise<T>, signal?: AbortSignal) => Promise<T>

/** @throws Error when the key or the address cannot be used */
export function stripeSender({
  apiKey,
  apiBase,
  isStandIn = false,
  timeoutMs = 20_000,
}: StripeOptions): StripeSend {
  if (keyFault(apiKey)) throw new Error('The Stripe key must be a restricted (rk_…) or secret (sk_…) one.')
  const address = stripeAddress(apiBase, isStandIn)
  const stripe = new Stripe(apiKey, {
    ...address,
    apiVersion: '2026-10-28.endive',
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
    httpClient: stripeHttp(address.protocol),
  })

  return async (request, signal) => {
    if (signal?.aborted) throw new AbandonedRequest('cancelled', { isSent: false })
    const stop = new AbortController()
    // The SDK's timeout counts silence: an answer that drips would never end.
    const timer = setTimeout(() => stop.abort(new AbandonedRequest('timeout', { isSent: true })), timeoutMs)
    const onAbort = () => stop.abort(new AbandonedRequest('cancelled', { isSent: true }))
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await untilAborted(request(stripe), stop.signal)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

/**
 * Why a key cannot be one to use, before anybody is asked. Pure.
 * @returns `publishable_key` for one that is made for browsers and may do nothing, `invalid_key_format`, or undefined
 */
export function keyFault(apiKey: string): 'publishable_key' | 'invalid_key_format' | undefined {
  if (apiKey.startsWith('pk_')) return 'publishable_key'
  return /^(rk|sk)_\w{1,250}$/.test(apiKey) ? undefined : 'invalid_key_format'
}

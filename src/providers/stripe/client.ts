import { Stripe } from 'stripe'
import { stripeAddress } from './address.ts'
import { stripeHttp } from './http.ts'
import { AbandonedRequest } from './errors.ts'
import { untilAborted } from '../until-aborted.ts'
import { limits } from '../../limits.ts'

export interface StripeOptions {
  /** A restricted key (`rk_…`), or a secret one (`sk_…`). */
  apiKey: string
  /** `https://host[:port]`, plain http on loopback only. Absent: Stripe itself. */
  apiBase?: URL | string
  /** No secret is sent: plain http to another container is allowed. */
  isStandIn?: boolean
  /** The time for one HTTP call, until the last byte of its answer. */
  timeoutMs?: number
}

/**
 * Sends one request. Rejects with what the SDK throws, or with `AbandonedRequest` after the timeout or when the signal fires.
 * The SDK takes no signal, so a running request continues and may still be executed.
 */
export type StripeSend = <T>(request: (stripe: Stripe) => Promise<T>, signal?: AbortSignal) => Promise<T>

/** @throws Error where the key or the address is invalid */
export function stripeSender({
  apiKey,
  apiBase,
  isStandIn = false,
  timeoutMs = limits.stripeCallMs,
}: StripeOptions): StripeSend {
  if (keyFault(apiKey))
    throw new Error('The Stripe key must be a restricted key (rk_…) or a secret key (sk_…).')
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
    // The SDK's timeout counts only silence: a slow answer would never time out.
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
 * Checks the format of a key. Pure.
 * @returns `publishable_key` for a key for browsers, `invalid_key_format`, or undefined for a valid format
 */
export function keyFault(apiKey: string): 'publishable_key' | 'invalid_key_format' | undefined {
  if (apiKey.startsWith('pk_')) return 'publishable_key'
  return /^(rk|sk)_\w{1,250}$/.test(apiKey) ? undefined : 'invalid_key_format'
}

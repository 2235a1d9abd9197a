import { isLoopbackHost } from '../../network/loopback.ts'

export interface StripeAddress {
  protocol: 'http' | 'https'
  host: string
  port: number
}

/**
 * The address of Stripe's API in the form of the SDK, which has no base URL. Pure.
 * @param apiBase  the variable STRIPE_API_BASE; absent: Stripe itself
 * @param isStandIn  no secret is sent there
 * @throws Error where the key would leave the machine unencrypted, or part of the URL would be lost
 */
export function stripeAddress(apiBase: URL | string | undefined, isStandIn = false): StripeAddress {
  const base = String(apiBase ?? 'https://api.stripe.com')
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error('STRIPE_API_BASE must be an https URL.')
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname) && !isStandIn)
    throw new Error('STRIPE_API_BASE must be https. Plain http would expose the key to the network.')
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw new Error('STRIPE_API_BASE must be only a host, without path, query or credentials.')
  const protocol = url.protocol === 'http:' ? 'http' : 'https'
  return {
    protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? { http: 80, https: 443 }[protocol] : Number(url.port),
  }
}

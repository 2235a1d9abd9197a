export interface StripeAddress {
  protocol: 'http' | 'https'
  host: string
  port: number
}

/**
 * Where Stripe's API is, as the SDK takes it: it has no base URL. Pure.
 * @param apiBase  the variable STRIPE_API_BASE; absent: Stripe itself
 * @param isStandIn  nothing secret is sent there
 * @throws Error where the key would leave the machine unencrypted, or a part of the URL would be lost
 */
export function stripeAddress(apiBase: URL | string | undefined, isStandIn = false): StripeAddress {
  const base = String(apiBase ?? 'https://api.stripe.com')
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error('STRIPE_API_BASE must be an https URL.')
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isStandIn)
    throw new Error('STRIPE_API_BASE must be https: plain http would show the key to the network.')
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw new Error('STRIPE_API_BASE must be a host alone, without path, query or credentials.')
  const protocol = url.protocol === 'http:' ? 'http' : 'https'
  return {
    protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? { http: 80, https: 443 }[protocol] : Number(url.port),
  }
}

/** @param hostname  as `URL` writes it: IPv4 in four decimals, IPv6 in brackets */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

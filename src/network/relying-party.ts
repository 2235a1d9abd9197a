import { isIP } from 'node:net'

/** The site that passkeys are made for. */
export interface RelyingParty {
  /** The host of the address: no parent domain of it. */
  id: string
  origin: string
}

/**
 * The relying party of a service at this address. Browsers know a machine's own address as `localhost` alone. Pure.
 * @returns undefined where browsers have none: at an address without a name, or without TLS
 * @source Web Authentication Level 3, 5.1.3: a relying-party id is a domain; Secure Contexts 3.1
 */
export function relyingParty(publicUrl: string): RelyingParty | undefined {
  const url = new URL(publicUrl)
  if (url.protocol === 'http:' && ['127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost'
  const { hostname, origin, protocol } = url
  const isSafe = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
  return isSafe && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : undefined
}

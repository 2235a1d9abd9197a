import { isIP } from 'node:net'
import { limits } from '../limits.ts'
import { isLoopbackAddress, isLoopbackHost } from '../network/loopback.ts'
import { type Allowed, isAllowedName, isReachable } from '../network/address.ts'

/**
 * What is wrong with the address of an executor, as the end of a sentence; undefined if it may be called. A name is resolved when
 * it is called, and its addresses are checked then. Pure.
 */
export function checkExecutorUrl(url: string, allowed: Allowed): string | undefined {
  const fault = executorUrlFault(url)
  if (fault !== undefined) return fault
  const host = hostOf(new URL(url))
  return isIP(host) !== 0 && !isReachable(host, allowed)
    ? `must not lead to ${host}: it is not public, and EXECUTOR_ALLOW does not list it`
    : undefined
}

/** What is wrong with it wherever the gate runs: documents are declared by this, calls are made by it. Pure. */
export function executorUrlFault(url: string): string | undefined {
  if (url.length > limits.executorUrlCharsMax)
    return `must have at most ${limits.executorUrlCharsMax} characters`
  if (!URL.canParse(url)) return 'must be an absolute URL'
  const { protocol, username, password, hash } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://'
  if (username !== '' || password !== '') return 'must have no user name and no password'
  if (hash !== '') return 'must have no fragment'
  return protocol === 'http:' && !isLoopbackHost(hostOf(new URL(url)))
    ? 'must begin with https://: http is for this machine only'
    : undefined
}

/** The host without the brackets of IPv6 and without the dot that ends a whole name. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Why the addresses of a name may not be called; undefined if they may. One that may not is enough. Pure. */
export function addressesFault(url: URL, addresses: readonly string[], allowed: Allowed): string | undefined {
  const host = hostOf(url)
  if (url.protocol === 'http:' && !addresses.every(isLoopbackAddress)) return 'address_refused'
  if (isAllowedName(host, allowed)) return undefined
  return addresses.every((one) => isReachable(one, allowed)) ? undefined : 'address_refused'
}

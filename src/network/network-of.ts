import { isIPv6 } from 'node:net'

/**
 * The network of a client, for rate limits: the address itself for IPv4, the /64 network for IPv6, because one client
 * has all of its addresses. Pure.
 * @param ip  as Fastify reports it, after TRUST_PROXY
 */
export function networkOf(ip: string): string {
  const [address] = ip.split('%')
  if (!isIPv6(address!)) return address!
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address!)
  if (mapped) return mapped[1]!
  // URL normalizes an IPv6 address: hexadecimal, lower case, without leading zeros.
  const [head, tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head!.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = Array<string>(8 - left.length - right.length).fill('0')
  const groups = [...left, ...missing, ...right].slice(0, 4)
  return `${groups.join(':')}::/64`
}

import { isIPv6 } from 'node:net'

/**
 * The network that a visitor comes from, to count them by: an IPv4 address itself, of IPv6 the network of 64 bits, since one
 * visitor has all of its addresses. Pure.
 * @param ip  as Fastify says it, after TRUST_PROXY
 */
export function networkOf(ip: string): string {
  const [address] = ip.split('%')
  if (!isIPv6(address!)) return address!
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address!)
  if (mapped) return mapped[1]!
  // A URL writes every form of an address in one way: hexadecimal, in small letters, without leading zeros.
  const [head, tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head!.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = Array<string>(8 - left.length - right.length).fill('0')
  const groups = [...left, ...missing, ...right].slice(0, 4)
  return `${groups.join(':')}::/64`
}

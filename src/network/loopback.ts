import { BlockList, isIP } from 'node:net'

/**
 * Whether a host is this machine by its name or address, whatever a name server answers. Not `*.localhost`: browsers keep
 * those names on their machine, resolvers of servers do not. Pure.
 * @param hostname  in the form of `URL`: in lower case; IPv6 with or without its brackets
 */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[(.[^:\n]*:.+)\]$/, '$1'))

/**
 * Whether an address is of this machine: 127.0.0.0/8 or ::1, and no IPv6 form of an IPv4 address. Pure.
 * @param address  as `node:net` writes it, without brackets
 */
export function isLoopbackAddress(address: string): boolean {
  // A list that held both families would match IPv4-mapped addresses.
  if (isIP(address) === 4) return loopback4.check(address, 'ipv4')
  return isIP(address) === 6 && loopback6.check(address, 'ipv6')
}

const loopback4 = network('127.0.0.0', 8, 'ipv4')
const loopback6 = network('::1', 128, 'ipv6')

function network(address: string, bits: number, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  list.addSubnet(address, bits, family)
  return list
}

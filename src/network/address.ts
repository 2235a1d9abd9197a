import { BlockList, isIP } from 'node:net'

/**
 * What the gate may reach beyond the public internet: networks in CIDR form, single addresses, and names of hosts, in lower
 * case. @source docs/configuration.md, EXECUTOR_ALLOW
 */
export type Allowed = readonly string[]

/** Addresses that are not global, and those of a cloud's own services. @source IANA IPv4 special-purpose registry; Azure's 168.63.129.16 */
const closed4 = listOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

/** Global unicast. All else is closed: loopback, link-local, unique local, multicast, IPv4-mapped, NAT64. */
const open6 = listOf('ipv6', ['2000::/3'])

/** Closed global unicast: protocol assignments with Teredo, documentation, 6to4. @source IANA IPv6 special-purpose registry */
const closed6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** Whether an address may be called. Pure. @param address  as `node:net` writes it */
export function isReachable(address: string, allowed: Allowed): boolean {
  return isPublic(address) || isAllowedAddress(address, allowed)
}

/** Whether an address is public: of the internet, and of nobody's own network. Pure. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !closed4.check(address, 'ipv4')
  return isIP(address) === 6 && open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6')
}

/** Whether the operator allows a host by its name, whatever its addresses are. Pure. */
export const isAllowedName = (host: string, allowed: Allowed): boolean =>
  isIP(host) === 0 && allowed.includes(host)

/** Whether the operator allows the network of an address. An IPv4 network says nothing of other forms of its addresses. */
function isAllowedAddress(address: string, allowed: Allowed): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  const networks = allowed.filter((one) => isIP(one.split('/')[0]!) === (family === 'ipv4' ? 4 : 6))
  // A mapped address would match IPv4 rules: those of the other family are not in the list.
  return isIP(address) !== 0 && networks.length > 0 && listOf(family, networks).check(address, family)
}

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', bits] = network.split('/')
    list.addSubnet(base, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  return list
}

import { isIP, BlockList } from 'node:net'

/** Whether a text is an IPv4 or IPv6 network in CIDR form, or a single address. Pure. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  // IPv4-mapped IPv6 addresses are compared as IPv4, so a network in that form would never match.
  if (family === 0 || rest.length > 0 || /%|^::ffff:/i.test(address)) return false
  if (bits === undefined) return true
  return /^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

/**
 * Whether an address lies in one of these networks. An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) counts as
 * IPv4. Pure.
 * @param networks  in CIDR form, or single addresses
 */
export function isWithinNetworks(address: string, networks: readonly string[]): boolean {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', bits] = network.split('/')
    const family = isIP(base)
    if (family === 0) continue
    list.addSubnet(base, bits === undefined ? (family === 4 ? 32 : 128) : Number(bits), familyName(family))
  }
  const family = isIP(plain)
  return family !== 0 && list.check(plain, familyName(family))
}

const familyName = (family: number) => (family === 4 ? 'ipv4' : 'ipv6')

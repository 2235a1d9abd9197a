import { BlockList, isIP } from 'node:net'

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

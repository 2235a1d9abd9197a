import { isIP } from 'node:net'

/** Whether a text is an IPv4 or IPv6 network in CIDR form, or a single address. Pure. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  // IPv4-mapped IPv6 addresses are compared as IPv4, so a network in that form would never match.
  if (family === 0 || rest.length > 0 || /%|^::ffff:/i.test(address)) return false
  if (bits === undefined) return true
  return /^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

import { isIP } from 'node:net'
import { z } from 'zod'
import { limits } from '../limits.ts'
import { isLoopbackHost } from '../network/loopback.ts'
import { smtpUrlFault } from '../network/smtp-server.ts'
import { keyRingFault } from '../secrets/key-ring.ts'

// The forms that values of environment variables have; `form` says each to a person.

export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ form: `whole number, ${min} to ${max}` })
export const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number, 0 or more')
  .transform(Number)
  .pipe(z.number().max(10_000))
  .meta({ form: 'number, 0 to 10000' })
export const flag = z
  .enum(['0', '1', 'true', 'false'], 'must be 0 or 1')
  .transform((v) => v === '1' || v === 'true')
  .meta({ form: '0 or 1' })
export const text = z.string().min(1).meta({ form: 'text' })
export const host = z.string().min(1).meta({ form: 'host name or address' })
export const accountId = z
  .string()
  .regex(/^acct_[0-9A-Za-z]{16}$/, 'must be acct_ and 16 letters or digits')
  .meta({ form: 'account id' })
export const folder = z.string().min(1).meta({ form: 'folder' })
const url = (protocols: RegExp, form: string) =>
  z.url({ protocol: protocols, error: 'must be an absolute URL' }).meta({ form })
export const httpUrl = url(/^https?$/, 'URL')
/** https without a path; plain http for this machine. Its value is the origin. */
export const origin = httpUrl
  .transform((given) => new URL(given))
  .refine(
    ({ protocol, hostname, pathname, search, hash, username }) =>
      (protocol === 'https:' || isLoopbackHost(hostname)) &&
      pathname === '/' &&
      `${search}${hash}${username}` === '',
    'must begin with https:// and have no path',
  )
  .transform((url) => url.origin)
  .meta({ form: 'https URL without a path' })
export const postgresUrl = url(/^postgres(ql)?$/, 'postgres:// URL')

/** A mail server, with user and password. */
export const smtpUrl = z
  .string()
  .superRefine((value, context) => {
    const fault = smtpUrlFault(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ form: 'smtps:// or smtp:// URL' })

export const keyRing = z
  .string()
  .superRefine((value, context) => {
    const fault = keyRingFault(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ form: 'k2:base64,k1:base64, 32 bytes each' })

export const logKeys = z
  .string()
  .regex(
    /^[A-Za-z0-9+/]{43}=(, ?[A-Za-z0-9+/]{43}=)?(, ?[^\s+,]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44})*$/,
    'must be 32 bytes in base64, as printed by `openssl rand -base64 32`; while keys rotate, two of them with a comma between; then, each after a comma, vkeys of keys that sign no more',
  )
  .meta({ form: '32 bytes in base64; two while keys rotate; vkeys of earlier ones' })

/** Networks in CIDR form, addresses, and names of hosts. */
export const reachable = z
  .string()
  .transform((list) => list.split(',').map((part) => part.trim()))
  .pipe(
    z
      .array(
        z
          .string()
          .refine(isReachableEntry, 'must be a comma-separated list of networks, addresses and host names'),
      )
      .max(limits.executorAllowMax),
  )
  .meta({ form: 'comma list of networks, addresses and host names' })

function isReachableEntry(text: string): boolean {
  const [base = '', bits, ...rest] = text.split('/')
  const family = isIP(base)
  // Forms of IPv4 inside IPv6 are never compared as IPv4, so a network of them would promise too much.
  if (family !== 0)
    return (
      rest.length === 0 &&
      !/%|^::ffff:/i.test(base) &&
      (bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
    )
  return bits === undefined && /^(?!-)[a-z0-9-]+(\.(?!-)[a-z0-9-]+)*$/.test(base) && /[a-z]/.test(base)
}

export const previewHost = z
  .string()
  .max(limits.previewHostCharsMax)
  .regex(/^(?!-)[a-z0-9-]+(\.(?!-)[a-z0-9-]+)*$/, 'must be a host name in lower case')
  .regex(/[a-z]/, 'must be a host name, not an IP address: each preview gets a subdomain')
  .meta({ form: 'host name in small letters' })

/** What a variable means, and what happens where it has no default and is not set. */
export const says = (description: string, unset?: string) => ({ description, unset })

import { isLoopbackHost } from './loopback.ts'

/** A mail server that takes mail for others, and how it is reached. */
export interface SmtpServer {
  host: string
  port: number
  /** `implicit`: from the first byte. `starttls`: before anything is said. `off`: never, on this machine only. */
  tls: 'implicit' | 'starttls' | 'off'
  /** Absent: the server asks for none. */
  login?: { user: string; password: string }
}

/** The ports of RFC 8314 and RFC 6409. */
const implicitPort = 465
const submissionPort = 587

/** What is wrong with the address of a mail server, as the end of a sentence; undefined if nothing is. Pure. */
export function smtpUrlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    return 'must be smtps://user:password@host:465, or smtp://user:password@host:587'
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    return 'must have no path, query or fragment'
  if ((url.username === '') !== (url.password === '')) return 'must have a user and a password, or neither'
  if (decoded(url.username) === undefined || decoded(url.password) === undefined)
    return 'must have its user and password percent-encoded'
  return url.port === '0' ? 'must have a port from 1 to 65535' : undefined
}

/**
 * The server of an address without a fault. Pure.
 * @param isPlain  whether mail may go to it without TLS, which only a server on this machine may be told
 * @throws Error where a server elsewhere would get mail without TLS
 */
export function smtpServerOf(address: string, isPlain = false): SmtpServer {
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isImplicit = url.protocol === 'smtps:'
  if (isPlain && (isImplicit || !isLoopbackHost(host)))
    throw new Error('SMTP_TLS=off is only for an smtp:// server on this machine.')
  const user = decoded(url.username)!
  return {
    host,
    port: url.port === '' ? (isImplicit ? implicitPort : submissionPort) : Number(url.port),
    tls: isPlain ? 'off' : isImplicit ? 'implicit' : 'starttls',
    ...(user === '' ? {} : { login: { user, password: decoded(url.password)! } }),
  }
}

function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    return /\p{Cc}/u.test(plain) ? undefined : plain
  } catch {
    return undefined
  }
}

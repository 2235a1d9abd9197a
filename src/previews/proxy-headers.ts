import type { IncomingHttpHeaders } from 'node:http'

/**
 * The request headers for the app: without headers of the gateway or the connection, and with the app's own address.
 * @param host  the host name of the app: `127.0.0.1:PORT`
 */
export function headersForApp(given: IncomingHttpHeaders, host: string): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  const named = namedByConnection(given.connection)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || named.has(name) || hopByHop.has(name) || notForApp.test(name)) continue
    headers[name] = value
  }
  const { cookie: _cookie, origin: _origin, referer: _referer, ...rest } = headers
  return {
    ...rest,
    ...ifAny('cookie', cookiesForApp(given.cookie)),
    // Apps compare the origin of a form with their own address.
    ...ifAny('origin', isSameSite(given.origin, given.host) ? `http://${host}` : given.origin),
    ...ifAny('referer', refererForApp(given, host)),
    host,
    connection: 'close',
  }
}

/**
 * The response headers for the viewer.
 * @param raw  alternating names and values, as received
 * @param asked  the host name of the app and the requested path
 * @param own  the gateway's headers, which override those of the app
 * @returns undefined if the answer redirects to another site, which a preview must not do
 */
export function headersForViewer(
  raw: string[],
  asked: Asked,
  own: Record<string, string>,
): [name: string, value: string | string[]][] | undefined {
  const kept = new Map<string, string[]>()
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? '']] : []))
  const connection = pairs.filter(([name]) => name === 'connection').map(([, value]) => value)
  const named = namedByConnection(connection.join(','))
  const ours = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  for (const [name = '', value = ''] of pairs) {
    if (named.has(name) || hopByHop.has(name) || notForViewer.test(name) || ours.has(name)) continue
    const passed = passedOn(name, value, asked)
    if (passed === 'elsewhere') return undefined
    if (passed !== undefined) kept.set(name, [...(kept.get(name) ?? []), passed])
  }
  const theirs = [...kept].map(([name, values]): [string, string | string[]] => [
    name,
    values.length === 1 ? (values[0] ?? '') : values,
  ])
  return [...theirs, ...Object.entries(own)]
}

export interface Asked {
  host: string
  path: string
}

function passedOn(name: string, value: string, asked: Asked): string | undefined {
  if (name === 'location') return pathOf(value, asked) ?? 'elsewhere'
  return name === 'set-cookie' ? cookieForViewer(value) : value
}

/** Headers of a single connection. @source RFC 9110 §7.6.1 */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

const namedByConnection = (connection = '') =>
  new Set(connection.split(',').map((name) => name.trim().toLowerCase()))

const notForApp = /^(?:host|authorization|expect|via|forwarded|x-forwarded-.*|x-real-ip|proxy-.*)$/

/**
 * Headers about the origin instead of the page; early loads, which would bypass the gateway's policy; reports to other
 * sites; and commands to a web server in front of the gateway (x-accel-redirect, x-sendfile).
 */
const notForViewer =
  /^(?:content-security-policy.*|strict-transport-security|alt-svc|clear-site-data|service-worker-allowed|access-control-.*|cross-origin-.*|origin-agent-cluster|content-location|refresh|link|report-to|reporting-endpoints|nel|www-authenticate|proxy-.*|x-accel-.*|x-sendfile|x-lighttpd-.*|accept-ch|critical-ch|set-login|public-key-pins.*|expect-ct)$/

/** The service's own cookies, with every prefix that browsers treat specially. */
const ownCookie = /^(?:__(?:host|secure)-)?gate-/i

/** The app gets its own cookies, but never those of the service. */
function cookiesForApp(cookie: string | undefined): string | undefined {
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim())
  const theirs = pairs.filter((pair) => pair !== '' && !ownCookie.test(pair.replace(/^=+\s*/, '')))
  return theirs.length === 0 ? undefined : theirs.join('; ')
}

/**
 * A cookie of the app, for its own host only. A cookie without a name is refused, because browsers send it back as its
 * value, which may look like ours. A name that browsers read in different ways is refused too.
 */
function cookieForViewer(cookie: string): string | undefined {
  const [pair = '', ...attributes] = cookie.split(';')
  const name = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=/.exec(pair)?.[1]
  if (name === undefined || ownCookie.test(name)) return undefined
  return [pair, ...attributes.filter((attribute) => !/^\s*domain\s*(?:=|$)/i.test(attribute))].join(';')
}

/** @returns the path of an address on the app; undefined for any other address */
function pathOf(location: string, { host, path }: Asked): string | undefined {
  const base = `http://${host}${path}`
  const found = URL.canParse(location, base) ? new URL(location, base) : undefined
  const own = new URL(`http://${host}`)
  if (!found || !/^https?:$/.test(found.protocol) || found.port !== own.port) return undefined
  if (![own.hostname, ...ownNames].includes(found.hostname)) return undefined
  // A path that starts with two slashes would be read as a host.
  return `${found.pathname.replace(/^\/+/, '/')}${found.search}${found.hash}`
}

const ownNames = ['localhost', '[::1]', '0.0.0.0']

function refererForApp({ referer, host: viewed }: IncomingHttpHeaders, host: string): string | undefined {
  if (referer === undefined || !isSameSite(referer, viewed)) return undefined
  const { pathname, search } = new URL(referer)
  return `http://${host}${pathname}${search}`
}

const isSameSite = (url: string | undefined, host: string | undefined) =>
  url !== undefined && URL.canParse(url) && new URL(url).host === host?.toLowerCase()

const ifAny = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value })

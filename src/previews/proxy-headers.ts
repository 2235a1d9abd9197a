import type { IncomingHttpHeaders } from 'node:http'

/**
 * What the app gets of a viewer's headers: nothing that belongs to the gateway or to the connection, and its own address.
 * @param host  what the app is called by, as `127.0.0.1:PORT`
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
    // An app compares where a form came from with the address it knows.
    ...ifAny('origin', isSameSite(given.origin, given.host) ? `http://${host}` : given.origin),
    ...ifAny('referer', refererForApp(given, host)),
    host,
    connection: 'close',
  }
}

/**
 * What the viewer gets of the app's headers.
 * @param raw  names and values in turn, as they came
 * @param asked  what the app is called by, and the path it was asked for
 * @param own  the gateway's, which win
 * @returns undefined where the answer leads to another site: an address of ours does not send people elsewhere
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

/** Of one connection. @source RFC 9110 §7.6.1 */
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
 * What speaks for the origin and not for the page; early loads, which would go around the gateway's policy; reports to
 * other sites; and orders to a web server that may stand in front of the gateway (x-accel-redirect, x-sendfile).
 */
const notForViewer =
  /^(?:content-security-policy.*|strict-transport-security|alt-svc|clear-site-data|service-worker-allowed|access-control-.*|cross-origin-.*|origin-agent-cluster|content-location|refresh|link|report-to|reporting-endpoints|nel|www-authenticate|proxy-.*|x-accel-.*|x-sendfile|x-lighttpd-.*|accept-ch|critical-ch|set-login|public-key-pins.*|expect-ct)$/

/** The service's own cookies, by any name that a browser could take for theirs. */
const ownCookie = /^(?:__(?:host|secure)-)?gate-/i

/** The app keeps its own cookies on its origin; ours never reach it. */
function cookiesForApp(cookie: string | undefined): string | undefined {
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim())
  const theirs = pairs.filter((pair) => pair !== '' && !ownCookie.test(pair.replace(/^=+\s*/, '')))
  return theirs.length === 0 ? undefined : theirs.join('; ')
}

/**
 * A cookie of the app, for its own host alone. One without a name is refused, since it comes back as its value, which may
 * look like ours; so is a name that browsers read in different ways.
 */
function cookieForViewer(cookie: string): string | undefined {
  const [pair = '', ...attributes] = cookie.split(';')
  const name = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=/.exec(pair)?.[1]
  if (name === undefined || ownCookie.test(name)) return undefined
  return [pair, ...attributes.filter((attribute) => !/^\s*domain\s*(?:=|$)/i.test(attribute))].join(';')
}

/** @returns the path of an address of the app's own; undefined for any other */
function pathOf(location: string, { host, path }: Asked): string | undefined {
  const base = `http://${host}${path}`
  const found = URL.canParse(location, base) ? new URL(location, base) : undefined
  const own = new URL(`http://${host}`)
  if (!found || !/^https?:$/.test(found.protocol) || found.port !== own.port) return undefined
  if (![own.hostname, ...ownNames].includes(found.hostname)) return undefined
  // A path that begins with two slashes would name a host.
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

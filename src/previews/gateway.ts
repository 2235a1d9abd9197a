import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import { limits } from '../limits.ts'
import type { PreviewTarget } from './driver.ts'
import { previewOfHost, previewOrigin } from './label.ts'
import { cookieTokens, linkParameter, previewCookie, readToken, signToken } from './link.ts'
import { safeHeaders } from './safe-headers.ts'
import { serveFile } from './serve-files.ts'
import type { Duplex } from 'node:stream'

const previewSilenceMs = 60_000

/** A preview that viewers can reach. Requests do not read the database. */
export interface ServedPreview {
  secret: Buffer
  target: PreviewTarget
  /** When cookies for it expire. */
  endsAt: Date
  accessedAt: Date
  /** Aborted when the preview ends, which cuts running answers. */
  signal: AbortSignal
}

/** Answers a viewer's request from a server behind a socket. `headers` of the gateway override those of the server. */
export type ProxyPreview = (
  target: Extract<PreviewTarget, { kind: 'unix' }>,
  request: IncomingMessage,
  response: ServerResponse,
  options: { headers: Record<string, string>; signal: AbortSignal },
) => Promise<void>

export interface Gateway {
  /** The base address of previews: each preview has its own subdomain. */
  url: string
  stop(): Promise<void>
}

export interface GatewayOptions {
  host: string
  port: number
  /** The base address of links for the actual port. */
  urlOf(port: number): string
  find(previewId: string): ServedPreview | undefined
  proxy: ProxyPreview | undefined
  log: Logger
  now?: () => Date
}

/**
 * The server that shows previews. It does not use API keys or accounts: only a link, or the cookie it is exchanged for,
 * opens a preview, on an origin of its own.
 * @throws Error with code EADDRINUSE if the port is in use
 */
export async function startGateway(given: GatewayOptions): Promise<Gateway> {
  const server = createServer({
    requestTimeout: previewSilenceMs,
    keepAliveTimeout: previewSilenceMs,
  })
  server.maxConnections = limits.previewConnectionsMax
  server.setTimeout(previewSilenceMs)
  const options = { now: () => new Date(), ...given }
  const port = await listen(server, options)
  const gateway = { ...options, url: options.urlOf(port) }
  server.on('request', (request, response) => void answer(gateway, request, response))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => hold(sockets, socket))
  server.on('upgrade', (_request, socket) => refuseUpgrade(socket, safeHeaders))
  server.on('connect', (_request, socket) => socket.destroy())
  return {
    url: gateway.url,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** On an upgrade Node removes its own listeners from a socket, so errors, timeouts and the end are handled here. */
function hold(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  socket.on('error', () => {})
  socket.on('timeout', () => socket.destroy())
}

type Started = Required<GatewayOptions> & { url: string }

async function answer(gateway: Started, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value)
  try {
    await answerFor(gateway, request, response)
  } catch (error) {
    gateway.log.error({ err: error }, 'preview request failed')
    if (response.headersSent) response.destroy()
    else refuse(response, 500, 'This preview cannot be shown at the moment. Try again.')
  }
}

async function answerFor(
  gateway: Started,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers } = request
  const previewId = previewOfHost(gateway.url, headers.host)
  if (previewId === undefined)
    return refuse(response, 421, 'No preview has this address. Use the link from preview_status.')
  const preview = gateway.find(previewId)
  if (!preview)
    return refuse(response, 410, 'This preview is not running. It may have ended; start it again.')
  const url = urlOf(request, previewOrigin(gateway.url, previewId))
  if (!url) return refuse(response, 400, 'This address is not valid.')

  const now = gateway.now()
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const token = url.searchParams.get(linkParameter)
  if (token !== null && isRead) return redeem(response, { previewId, preview, url, token, now })
  const isSecure = gateway.url.startsWith('https:')
  const tokens = cookieTokens(headers.cookie, isSecure)
  const { secret } = preview
  if (!tokens.some((one) => readToken(one, { secret, previewId }, 'cookie', now.getTime()) === 'valid')) {
    return refuse(response, 401, 'This page requires a preview link. Get a new link from preview_status.')
  }
  // A service worker would outlive the preview in the viewer's browser.
  if (headers['service-worker'] !== undefined)
    return refuse(response, 403, 'Previews do not support service workers.')
  preview.accessedAt = now
  return show(gateway, request, response, { preview, url })
}

/** Exchanges the token for a cookie and removes it from the address. */
function redeem(
  response: ServerResponse,
  {
    previewId,
    preview,
    url,
    token,
    now,
  }: { previewId: string; preview: ServedPreview; url: URL; token: string; now: Date },
): void {
  const reading = readToken(token, { secret: preview.secret, previewId }, 'link', now.getTime())
  if (reading === 'invalid') return refuse(response, 403, 'This link is not valid for this preview.')
  if (reading === 'expired') {
    return refuse(response, 403, 'This link has expired. Get a new link from preview_status.')
  }
  preview.accessedAt = now
  url.searchParams.delete(linkParameter)
  const cookie = signToken(preview.secret, 'cookie', previewId, preview.endsAt)
  response
    .writeHead(303, {
      'set-cookie': previewCookie(cookie, url.protocol === 'https:'),
      location: url.href,
      'content-length': 0,
    })
    .end()
}

async function show(
  { proxy }: Started,
  request: IncomingMessage,
  response: ServerResponse,
  { preview, url }: { preview: ServedPreview; url: URL },
): Promise<void> {
  const { target, signal } = preview
  if (target.kind === 'unix') {
    if (!proxy) throw new Error('this host cannot forward requests to a socket')
    return proxy(target, request, response, { headers: { ...safeHeaders }, signal })
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return refuse(response, 405, 'This preview serves files only. Use GET.')
  }
  const cut = () => void response.destroy()
  signal.addEventListener('abort', cut)
  try {
    const isThere = await serveFile(request, response, { ...target, url })
    if (!isThere) refuse(response, 404, 'This file was not found in the preview.')
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

/** The normalized URL of a request; undefined if it is not a path on this origin. */
function urlOf(request: IncomingMessage, origin: string): URL | undefined {
  const target = request.url ?? ''
  if (!target.startsWith('/') || target.length > limits.headersBytesMax) return undefined
  // Concatenated, not resolved: `//elsewhere` and `/\elsewhere` would resolve to another host.
  if (!URL.canParse(origin + target)) return undefined
  const url = new URL(origin + target)
  // A path with dot segments, which the URL would remove, is not a file path.
  const path = target.split(/[?#]/)[0]
  return url.origin === origin && url.pathname === path ? url : undefined
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  if (response.destroyed) return
  const body = `${sentence}\n`
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}

async function listen(server: Server, { host, port }: GatewayOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return (server.address() as AddressInfo).port
}

/** Refuses a protocol upgrade, such as a WebSocket. */
function refuseUpgrade(socket: Duplex, headers: Readonly<Record<string, string>> = {}): void {
  const body = 'Previews do not support WebSockets.\n'
  const all = { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length }
  const lines = Object.entries({ ...all, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.on('error', () => {})
  // A client that keeps its side open must not keep our socket open.
  socket.end(['HTTP/1.1 501 Not Implemented', ...lines, '', body].join('\r\n'), () => socket.destroy())
}

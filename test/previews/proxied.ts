import { mkdtempSync, rmSync } from 'node:fs'
import {
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type RequestListener,
  createServer,
  request,
} from 'node:http'
import { type AddressInfo, type Server, type Socket, createServer as createRawServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProxyBounds, proxyPreview } from '../../src/previews/proxy.ts'

export interface Answer {
  /** 0 where the connection was cut before. */
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Whether the answer ended as it should; else it was cut. */
  isWhole: boolean
}

export interface Proxied {
  get(
    path?: string,
    options?: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer },
  ): Promise<Answer>
  /** Ends the preview. */
  abort(): void
  port: number
  /** Exchanges that `proxyPreview` has not yet resolved. */
  underWay(): number
  close(): Promise<void>
}

export const ownHeaders = { 'content-security-policy': "default-src 'self'", 'cache-control': 'no-store' }

/** The proxy in front of an app: a listener of requests, or of raw connections. */
export async function proxied(
  app: { http: RequestListener } | { raw: (socket: Socket) => void } | { socketPath: string },
  bounds?: ProxyBounds,
): Promise<Proxied> {
  const folder = mkdtempSync(join(tmpdir(), 'gate-proxy-'))
  const socketPath = 'socketPath' in app ? app.socketPath : join(folder, 's')
  const server = 'http' in app ? createServer(app.http) : 'raw' in app ? createRawServer(app.raw) : undefined
  const sockets = new Set<Socket>()
  server?.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  if (server) await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  const preview = new AbortController()
  let underWay = 0
  const gateway = createServer((asked, answer) => {
    underWay++
    const options = { headers: ownHeaders, signal: preview.signal, ...(bounds ? { bounds } : {}) }
    void proxyPreview({ kind: 'unix', socketPath, host: '127.0.0.1:3000' }, asked, answer, options).then(
      () => underWay--,
    )
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const { port } = gateway.address() as AddressInfo
  return {
    get: (path = '/', options = {}) => get(port, path, options),
    abort: () => preview.abort(),
    port,
    underWay: () => underWay,
    async close() {
      gateway.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await Promise.all([gateway, server].map((one) => one && closed(one)))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const closed = (server: Server) => new Promise((resolve) => server.close(resolve))

function get(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer },
): Promise<Answer> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      let text = ''
      const done = (isWhole: boolean) =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text, isWhole })
      answer
        .setEncoding('latin1')
        .on('data', (part: string) => (text = text.length < 1_000 ? text + part : text))
      answer.on('end', () => done(true)).on('error', () => done(false))
    })
    asked.on('error', () => resolve({ status: 0, headers: {}, body: '', isWhole: false }))
    asked.end(body)
  })
}

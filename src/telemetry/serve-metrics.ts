import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sayTakenPort } from '../network/taken-port.ts'

/** Scrapes within this time get one text. */
const scrapeKeptMs = 1_000
const connectionsMax = 20
const requestMs = 10_000

export interface ServedMetrics {
  port: number
  stop(): Promise<void>
}

/**
 * Serves `/metrics` on a port of its own. It asks nobody who they are: what it tells has no data of accounts.
 * @throws Error that names METRICS_PORT if it is in use
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  text: () => Promise<string>,
): Promise<ServedMetrics> {
  let kept: Promise<string> | undefined
  const forget = () => setTimeout(() => (kept = undefined), scrapeKeptMs).unref()
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (request.method !== 'GET' || path !== '/metrics') {
      response.writeHead(path === '/metrics' ? 405 : 404).end()
      return
    }
    kept ??= text().finally(forget)
    kept.then(
      (body) =>
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body),
      () => response.writeHead(500).end(),
    )
  })
  server.maxConnections = connectionsMax
  server.requestTimeout = requestMs
  server.headersTimeout = requestMs
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  }).catch(sayTakenPort('METRICS_PORT', { port, host }))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

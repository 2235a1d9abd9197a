import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a server at loopback breaks: says nothing, sends without end, sends the caller elsewhere, or fails. */
export const breaks = ['hangs', 'floods', 'redirects', 'fails'] as const
export type Break = (typeof breaks)[number]

/** A server whose answers are another program's, unless it breaks. */
export async function startBrokenServer(breakOf: (request: IncomingMessage) => Break | object) {
  const paths: string[] = []
  let sentBytes = 0
  const flood = (response: ServerResponse): void => {
    while (sentBytes < 1_000_000_000 && !response.destroyed) {
      sentBytes += chunk.length
      if (!response.write(chunk)) return void response.once('drain', () => flood(response))
    }
  }
  const server = createServer((request, response) => {
    request.resume()
    response.on('error', () => undefined)
    paths.push(request.url!)
    const does = breakOf(request)
    if (does === 'hangs') return
    if (does === 'floods') return flood(response.writeHead(200, { 'content-type': 'application/json' }))
    if (does === 'redirects') return void response.writeHead(307, { location: '/elsewhere' }).end()
    if (does === 'fails') return void response.writeHead(500).end('<h1>Sorry</h1>')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(does))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    /** What was sent of floods. */
    sentBytes: () => sentBytes,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const chunk = Buffer.alloc(65_536, 120)

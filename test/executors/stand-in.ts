import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that an executor received. */
export interface Received {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface StandIn {
  url: string
  port: number
  received: Received[]
  close(): Promise<void>
}

/** An executor on this machine: answers each request as the test says, once its body has been read. */
export async function standIn(
  answer: (request: Received, response: ServerResponse, n: number) => void | Promise<void>,
  host = '127.0.0.1',
): Promise<StandIn> {
  const received: Received[] = []
  const listener: RequestListener = async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, body: Buffer.concat(parts).toString('utf8') }
    await answer(one, response, received.push(one))
  }
  const server = createServer((request, response) => {
    Promise.resolve(listener(request, response)).catch(() => response.destroy())
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    received,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with JSON. */
export const answerJson = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

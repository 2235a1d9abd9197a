import { once } from 'node:events'
import { type IncomingMessage, createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface McpWire {
  /** Of the tool endpoint, through here. */
  url: string
  /** The messages that passed, in order: method, and the revision in their header. */
  seen: string[]
  /** What they said, and when. */
  sent: { at: number; message: any }[]
  close(): Promise<void>
}

/** The tool endpoint of a service as a program reaches it, which shows what the program sends. @param key  added to each request */
export async function startMcpWire(apiUrl: () => string, key?: () => string): Promise<McpWire> {
  const seen: string[] = []
  const sent: McpWire['sent'] = []
  const server = createServer((request, response) => {
    void bytesOf(request).then((body) => {
      if (request.method === 'POST') {
        const message = messageOf(body)
        sent.push({ at: Date.now(), message })
        seen.push(`${methodOf(message)} ${String(request.headers['mcp-protocol-version'] ?? '-')}`)
      }
      const { host: _host, ...headers } = request.headers
      const onwards = send(new URL(request.url!, apiUrl()), {
        method: request.method!,
        headers: { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key()}` }) },
      })
      onwards.on('response', (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      onwards.on('error', () => response.destroy())
      response.on('close', () => onwards.destroy())
      onwards.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/mcp`,
    seen,
    sent,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function messageOf(body: Buffer): { method?: unknown } | undefined {
  try {
    return JSON.parse(body.toString()) as { method?: unknown }
  } catch {
    return undefined
  }
}

const methodOf = (message: { method?: unknown } | undefined): string =>
  message === undefined ? 'no message' : String(message.method)

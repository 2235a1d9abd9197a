import { randomUUID } from 'node:crypto'
import { type IncomingMessage, createServer } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

/**
 * Serves MCP on PORT as the documentation of the SDK does, with a session for each client, until the parent process is gone.
 * @param newServer  the server of a session, from its first request
 */
export function serveMcp(newServer: (first: IncomingMessage) => McpServer): void {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  async function newSession(first: IncomingMessage): Promise<StreamableHTTPServerTransport> {
    const server = newServer(first)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await server.connect(transport as Parameters<typeof server.connect>[0])
    return transport
  }
  const http = createServer((request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    void (known ? Promise.resolve(known) : newSession(request)).then((transport) =>
      transport.handleRequest(request, response),
    )
  })
  http.listen(Number(process.env['PORT']), '127.0.0.1', () => process.send?.('working'))
  process.on('disconnect', () => process.exit(0))
}

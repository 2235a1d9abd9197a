import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

// An MCP server as the documentation of the SDK makes it, with a session for each client and a tool that answers at once.

const sessions = new Map<string, StreamableHTTPServerTransport>()

async function newSession(): Promise<StreamableHTTPServerTransport> {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await server.connect(transport as Parameters<typeof server.connect>[0])
  return transport
}

const http = createServer((request, response) => {
  const known = sessions.get(String(request.headers['mcp-session-id']))
  void (known ? Promise.resolve(known) : newSession()).then((transport) =>
    transport.handleRequest(request, response),
  )
})
http.listen(Number(process.env['PORT']), '127.0.0.1', () => process.send?.('working'))
process.on('disconnect', () => process.exit(0))

import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'

/** A tool of a test server: its definition, and what a call answers. */
export interface UpstreamTestTool {
  definition: Record<string, unknown> & { name: string }
  call?(args: Record<string, unknown>): CallToolResult | Promise<CallToolResult>
}

/** What a request met: for tests of sessions and headers. */
export interface UpstreamRequest {
  method: string
  headers: IncomingHttpHeaders
  url: string
  /** The JSON-RPC message; undefined: there is none. */
  body: any
}

/** An MCP server over Streamable HTTP on loopback, whose tools a test can change at any time. */
export interface TestUpstream {
  url: string
  /** The tools that it lists from now on. */
  tools: UpstreamTestTool[]
  /** Tools on one page. */
  pageRows: number
  /** The calls that were carried out. */
  calls: { tool: string; arguments: Record<string, unknown> }[]
  requests: UpstreamRequest[]
  /** Answers a request instead of the server, where it returns true. */
  instead: ((request: UpstreamRequest, response: ServerResponse) => boolean) | undefined
  /** Forgets every session, as a restart does. */
  forgetSessions(): void
  close(): Promise<void>
}

/** A tool that answers its own arguments as text. */
export const echoTool = (name = 'echo', definition: Record<string, unknown> = {}): UpstreamTestTool => ({
  definition: {
    name,
    description: `Says ${name}.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    ...definition,
  },
  call: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
})

/** Starts a server. @param options.json  answers as JSON; else as a stream of events, the default of the SDK */
export async function startUpstream(
  tools: UpstreamTestTool[] = [echoTool()],
  { json = false }: { json?: boolean } = {},
): Promise<TestUpstream> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const upstream: TestUpstream = {
    url: '',
    tools,
    pageRows: 100,
    calls: [],
    requests: [],
    instead: undefined,
    forgetSessions: () => sessions.clear(),
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }

  async function transportFor(request: IncomingMessage) {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known) return known
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: json,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await serverOf(upstream).connect(transport as never)
    return transport
  }

  const http = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const { method = '', headers, url = '' } = request
    const met = { method, headers, url, body }
    upstream.requests.push(met)
    if (upstream.instead?.(met, response)) return
    if (headers['mcp-session-id'] && !sessions.has(String(headers['mcp-session-id']))) {
      response.writeHead(404).end()
      return
    }
    const transport = await transportFor(request)
    await transport.handleRequest(request, response, body)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  upstream.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  return upstream
}

function serverOf(upstream: TestUpstream): Server {
  const server = new Server({ name: 'test-upstream', version: '1.2.3' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0)
    const end = from + upstream.pageRows
    const page = upstream.tools.slice(from, end).map(({ definition }) => definition as unknown as Tool)
    return { tools: page, ...(end < upstream.tools.length ? { nextCursor: String(end) } : {}) }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }) => {
    upstream.calls.push({ tool: name, arguments: args })
    const found = upstream.tools.find(({ definition }) => definition.name === name)
    return (
      found?.call?.(args) ?? { content: [{ type: 'text', text: `Unknown tool: ${name}` }], isError: true }
    )
  })
  return server
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return parts.length === 0 ? undefined : JSON.parse(Buffer.concat(parts).toString())
}

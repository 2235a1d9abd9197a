import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { ListedTool } from './tool-text.ts'

/** A client as agents use them: connects over a real socket, checks every answer against the tool's output schema. */
export interface Agent {
  listTools(): Promise<{ tools: ListedTool[] }>
  callTool(call: Call, options?: CallOptions): Promise<unknown>
  getInstructions(): string | undefined
  /** The revision that the client speaks. */
  revision(): string | undefined
  close(): Promise<void>
}
interface Call {
  name: string
  arguments: Record<string, unknown>
}
interface CallOptions {
  onprogress?: (progress: ProgressTold) => void
  timeout?: number
  resetTimeoutOnProgress?: boolean
}
export interface ProgressTold {
  progress: number
  total?: number | undefined
  message?: string | undefined
}

export type Connect = (url: URL, requestInit: RequestInit) => Promise<Agent>

/** The client of the current SDK. @param mode  which revisions it tries */
const current =
  (mode?: 'auto' | 'legacy' | { pin: string }): Connect =>
  async (url, requestInit) => {
    const client = new CurrentClient(
      { name: 'test', version: '1' },
      mode === undefined ? {} : { versionNegotiation: { mode } },
    )
    await client.connect(new CurrentTransport(url, { requestInit }))
    return Object.assign(client as unknown as Agent, {
      revision: () => client.getNegotiatedProtocolVersion(),
    })
  }

export const mcpClients: [string, Connect, revision: string][] = [
  [
    'the client of the first SDK',
    async (url, requestInit) => {
      const client = new Client({ name: 'test', version: '1' })
      const transport = new StreamableHTTPClientTransport(url, { requestInit })
      await client.connect(transport as never)
      return Object.assign(client as unknown as Agent, {
        callTool: (call: Call, options?: CallOptions) =>
          Client.prototype.callTool.call(client, call, undefined, options as never),
        revision: () => transport.protocolVersion,
      })
    },
    '2025-11-25',
  ],
  ['the client of the current SDK, negotiating', current('auto'), '2026-07-28'],
  ['the client of the current SDK, of 2026-07-28 alone', current({ pin: '2026-07-28' }), '2026-07-28'],
  ['the client of the current SDK, with initialize', current('legacy'), '2025-11-25'],
  ['the client of the current SDK, in its default mode', current(), '2025-11-25'],
]

/** Connects a client to the tool endpoint of a service, with a key. */
export const connectAgent = (make: Connect, apiUrl: string, key: string): Promise<Agent> =>
  make(new URL('/api/mcp', apiUrl), { headers: { authorization: `Bearer ${key}` } })

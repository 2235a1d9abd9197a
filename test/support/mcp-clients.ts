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

export const mcpClients: [string, Connect][] = [
  [
    'the SDK’s own client',
    async (url, requestInit) => {
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as never)
      return Object.assign(client as unknown as Agent, {
        callTool: (call: Call, options?: CallOptions) =>
          Client.prototype.callTool.call(client, call, undefined, options as never),
      })
    },
  ],
  [
    'the client of the current revision, negotiating',
    async (url, requestInit) => {
      const client = new CurrentClient(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: 'auto' } },
      )
      await client.connect(new CurrentTransport(url, { requestInit }))
      return client as unknown as Agent
    },
  ],
  [
    'the client of the current revision, in its default mode',
    async (url, requestInit) => {
      const client = new CurrentClient({ name: 'test', version: '1' })
      await client.connect(new CurrentTransport(url, { requestInit }))
      return client as unknown as Agent
    },
  ],
]

/** Connects a client to the tool endpoint of a service, with a key. */
export const connectAgent = (make: Connect, apiUrl: string, key: string): Promise<Agent> =>
  make(new URL('/api/mcp', apiUrl), { headers: { authorization: `Bearer ${key}` } })

import { createHash } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import postgres from 'postgres'
import { z } from 'zod'
import { serveMcp } from './serve-mcp.ts'

// Passes calls of a tool on to another MCP server with as little as possible: the key is looked up and a row is inserted before
// the call. No rules, no chain, no pinned definition, no record of the answer. Server and client are those of the SDK.

const sql = postgres(process.env['DATABASE_URL']!, { max: 10 })
const behind = new Client({ name: 'bench', version: '1.0.0' })
await behind.connect(new StreamableHTTPClientTransport(new URL(process.env['BEHIND']!)) as never)

serveMcp((first) => {
  const key = String(first.headers.authorization).slice('Bearer '.length)
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }) => {
    const hash = createHash('sha256').update(key).digest()
    const [holder] = await sql<{ account_id: string; key_id: string }[]>`
      select account_id, key_id from bare.api_key where hash = ${hash}`
    const { account_id, key_id } = holder!
    await sql`
      insert into bare.tool_call (account_id, key_id, member, tier, runner, tool, input, decision)
      values (${account_id}, ${key_id}, 'bench', 'read_only', 'mcp', 'echo', ${sql.json({ text })}, 'allow')`
    return (await behind.callTool({ name: 'echo', arguments: { text } })) as never
  })
  return server
})

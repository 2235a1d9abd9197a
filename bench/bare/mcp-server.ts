import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { serveMcp } from './serve-mcp.ts'

// An MCP server with a tool that answers at once.

serveMcp(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  return server
})

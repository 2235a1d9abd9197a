// A small MCP server, to try the gate with: node docs/examples/notes-mcp-server.mjs FOLDER PORT
// It keeps notes in a folder. The description of its tool add_note is read from FOLDER/description.txt, so that it can change.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

const [folder = '.data/notes', port = '8093'] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const said = join(folder, 'description.txt')
const text = (value) => ({ content: [{ type: 'text', text: value }] })

function notesServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  server.registerTool(
    'list_notes',
    { description: 'Lists the notes.', annotations: { readOnlyHint: true } },
    () =>
      text(
        readdirSync(folder)
          .filter((name) => name.endsWith('.md'))
          .join('\n'),
      ),
  )
  const description = existsSync(said) ? readFileSync(said, 'utf8') : 'Writes a note.'
  const inputSchema = { name: z.string().regex(/^\w+$/), text: z.string() }
  server.registerTool('add_note', { description, inputSchema }, ({ name, text: note }) => {
    writeFileSync(join(folder, `${name}.md`), note)
    return text(`Wrote ${name}.`)
  })
  return server
}

createServer(async (request, response) => {
  if (request.url === '/') return response.end('notes\n')
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await notesServer().connect(transport)
  await transport.handleRequest(request, response)
}).listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/mcp`))

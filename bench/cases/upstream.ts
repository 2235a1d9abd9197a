import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { freePort } from '../../src/embedded/free-port.ts'
import { addTool, addUpstream } from '../../test/support/tools-behind-gate.ts'
import { benchAccount } from '../support/accounts.ts'
import { compare, load } from '../support/load.ts'
import { startNode } from '../support/processes.ts'
import { type BenchCase, byLatency, clientCounts } from './case.ts'

const warmUpMs = 2_500
const sliceMs = 1_000
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

/**
 * Calls a tool of an MCP server through the gate, whose rule allows it, beside the same call of that server itself: both with
 * the client of the SDK, as agents make them.
 */
export const upstream: BenchCase = {
  name: 'upstream',
  async run(services, { seconds }) {
    const port = await freePort()
    const server = startNode({
      program: fileURLToPath(new URL('../bare/mcp-server.js', import.meta.url)),
      env: { PORT: String(port) },
      logFile: join(services.folder, 'mcp-server.log'),
    })
    await Promise.race([once(server.child, 'message'), once(server.child, 'exit')])
    server.assertRunning()
    const url = `http://127.0.0.1:${port}/mcp`
    const { memberIds, ...account } = await benchAccount(services, { proposers: 1 })
    const actor = { memberId: memberIds[0]!, name: '', email: null, slack: null }
    const { key } = await account.mintKey({ actors: [actor] })
    await addUpstream(services, account, { name: 'bench', url })
    await addTool(services, account, 'bench', { name: 'echo', inputSchema, rule: { rule: 'allow' } })
    const findings = []
    for (const clients of clientCounts) {
      const sides = {
        ours: await clientsOf(clients, new URL('/api/mcp', services.apiUrl), key),
        bare: await clientsOf(clients, new URL(url), key),
      }
      const names = { ours: 'bench__echo', bare: 'echo' }
      const slice = (side: keyof typeof sides, ms: number) =>
        load(clients, { ms }, async (n) => {
          const text = `${side} ${n}`
          const answer = await sides[side][n]!.callTool({ name: names[side], arguments: { text } })
          if (JSON.stringify(answer.content) !== JSON.stringify([{ type: 'text', text }]))
            throw new Error(JSON.stringify(answer))
        })
      await slice('ours', warmUpMs)
      await slice('bare', warmUpMs)
      const compared = await compare({
        pairs: Math.max(2, Math.round((seconds * 1_000) / sliceMs)),
        ours: () => slice('ours', sliceMs),
        bare: () => slice('bare', sliceMs),
      })
      const target = clients === 1 ? { atMost: 1.5 } : undefined
      findings.push(byLatency('tool of an MCP server, passed on', clients, compared, target))
      await Promise.all([...sides.ours, ...sides.bare].map((client) => client.close()))
    }
    await server.stop()
    return findings
  },
}

const clientsOf = (count: number, url: URL, key: string): Promise<Client[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const client = new Client({ name: 'bench', version: '1.0.0' })
      const requestInit = { headers: { authorization: `Bearer ${key}` } }
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as never)
      return client
    }),
  )

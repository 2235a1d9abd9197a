import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { freePort } from '../../dev/embedded/free-port.ts'
import { addTool, addUpstream } from '../../test/support/tools-behind-gate.ts'
import { benchAccount } from '../support/accounts.ts'
import { compare, load } from '../support/load.ts'
import { startNode } from '../support/processes.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byLatency, clientCounts } from './case.ts'

const warmUpMs = 2_500
const sliceMs = 1_000
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

/**
 * Calls a tool of an MCP server through the gate, whose rule allows it, beside the same call of that server itself, and beside one
 * through a proxy that only looks up the key and inserts a row: all with the client of the SDK, as agents make them.
 */
export const upstream: BenchCase = {
  name: 'upstream',
  async run(services, { seconds }) {
    const server = await startBare(services, 'mcp-server', {})
    const { databaseUrl: DATABASE_URL } = services
    const proxy = await startBare(services, 'mcp-proxy', { BEHIND: server.url, DATABASE_URL })
    const { key } = await accountWithTool(services, server.url)
    const findings = []
    for (const clients of clientCounts) {
      const sides = {
        ours: await clientsOf(clients, new URL('/api/mcp', services.apiUrl), key),
        direct: await clientsOf(clients, new URL(server.url), key),
        proxied: await clientsOf(clients, new URL(proxy.url), key),
      }
      const slice = (side: keyof typeof sides, ms: number) =>
        load(clients, { ms }, async (n) => {
          const text = `${side} ${n}`
          const name = side === 'ours' ? 'bench__echo' : 'echo'
          const answer = await sides[side][n]!.callTool({ name, arguments: { text } })
          if (JSON.stringify(answer.content) !== JSON.stringify([{ type: 'text', text }]))
            throw new Error(JSON.stringify(answer))
        })
      for (const side of ['ours', 'direct', 'proxied'] as const) await slice(side, warmUpMs)
      const besides = (bare: keyof typeof sides) =>
        compare({
          pairs: Math.max(2, Math.round((seconds * 1_000) / sliceMs)),
          ours: () => slice('ours', sliceMs),
          bare: () => slice(bare, sliceMs),
        })
      const target = clients === 1 ? { atMost: 1.5 } : undefined
      const title = 'tool of an MCP server, passed on'
      findings.push(byLatency(title, clients, await besides('direct'), target))
      findings.push(byLatency('  compared with a bare proxy', clients, await besides('proxied')))
      await Promise.all(Object.values(sides).flatMap((all) => all.map((client) => client.close())))
    }
    await Promise.all([proxy.stop(), server.stop()])
    return findings
  },
}

/** A key of an account behind whose gate this server is, with a tool that is passed on. The proxy knows it too. */
async function accountWithTool(services: Services, url: string): Promise<{ key: string }> {
  const { memberIds, ...account } = await benchAccount(services, { proposers: 1 })
  const actor = { memberId: memberIds[0]!, name: '', email: null, slack: null }
  const { key } = await account.mintKey({ actors: [actor] })
  await addUpstream(services, account, { name: 'bench', url })
  await addTool(services, account, 'bench', { name: 'echo', inputSchema, rule: { rule: 'allow' } })
  await services.asSuperuser(`
    insert into bare.api_key select hash, account_id, key_id from gate_private.api_key_hash
      where account_id = '${account.account}' on conflict do nothing`)
  return { key }
}

async function startBare(services: Services, name: string, env: Record<string, string>) {
  const port = await freePort()
  const started = startNode({
    program: fileURLToPath(new URL(`../bare/${name}.ts`, import.meta.url)),
    env: { PORT: String(port), ...env },
    logFile: join(services.folder, `${name}.log`),
  })
  await Promise.race([once(started.child, 'message'), once(started.child, 'exit')])
  started.assertRunning()
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => started.stop() }
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

import { benchAccount } from '../support/accounts.ts'
import { expectStatus, getRequest, httpClients, postRequest } from '../support/http-client.ts'
import { compare, load } from '../support/load.ts'
import { type BenchCase, byLatency, clientCounts } from './case.ts'

const warmUpMs = 1_500
const sliceMs = 1_000

/** Calls of tools, each beside the same call over REST. */
export const mcp: BenchCase = {
  name: 'mcp',
  async run(services, { seconds }) {
    const { key, proposers } = await benchAccount(services, { proposers: 1 })
    const actor = { email: proposers[0]! }
    const query = new URLSearchParams(actor).toString()
    const calls = [
      { tool: 'check_capability', args: { actor }, path: `/api/v1/capability?${query}` },
      { tool: 'get_action', args: { id: 1 }, path: '/api/v1/actions/1' },
      { tool: 'list_actions', args: { limit: 50 }, path: '/api/v1/actions?limit=50' },
    ]
    const findings = []
    for (const { tool, args, path } of calls) {
      const params = { name: tool, arguments: args }
      const texts = {
        mcp: postRequest('/api/mcp', key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        rest: getRequest(path, key),
      }
      for (const clients of clientCounts) {
        const { all, close } = httpClients(services.apiUrl, clients)
        const slice = (way: keyof typeof texts, ms: number) =>
          load(clients, { ms }, async (n) => {
            const { body } = expectStatus(await all[n]!.send(texts[way]), 200)
            if (body.includes('"isError":true')) throw new Error(body)
          })
        await slice('mcp', warmUpMs)
        await slice('rest', warmUpMs)
        const compared = await compare({
          pairs: Math.max(2, Math.round((seconds * 1_000) / sliceMs / calls.length)),
          ours: () => slice('mcp', sliceMs),
          bare: () => slice('rest', sliceMs),
        })
        findings.push(byLatency(`${tool} over MCP beside REST`, clients, compared, { atMost: 1.15 }))
        close()
      }
    }
    return findings
  },
}

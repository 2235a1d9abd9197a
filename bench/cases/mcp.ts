import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import { expectStatus, getRequest, httpClients, postRequest } from '../support/http-client.ts'
import { compare, load } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byLatency, clientCounts } from './case.ts'

const warmUpMs = 2_000
/** Short: the difference is small, and what else the machine does must hit both sides of a pair. */
const sliceMs = 200
/** Proposals of a slice, by number of clients. */
const perSlice: Record<number, number> = { 1: 20, 16: 80 }
const legs = ['2025-11-25', '2026-07-28'] as const

/** What is asked: over REST, and as the call of a tool. `n` counts the requests. */
interface Act {
  name: string
  tool: string
  args(n: number): Record<string, unknown>
  rest(n: number): string
  status: number
  isWrite?: true
}

/** The same requests over MCP and over REST, to the same gate: what the protocol adds, for each era of it. */
export const mcp: BenchCase = {
  name: 'mcp',
  async run(services, { seconds }) {
    const account = await benchAccount(services, { proposers: 100, openMax: 10_000 })
    const acts = await actsOf(services, account)
    const findings = []
    for (const clients of clientCounts) {
      const sides = {
        mcp: httpClients(services.apiUrl, clients),
        rest: httpClients(services.apiUrl, clients),
      }
      for (const act of acts) {
        // A read is built once: to build it is work of the client, which delays the other clients.
        const requests = (make: () => string) => {
          const read = act.isWrite ? undefined : make()
          return () => read ?? make()
        }
        const overRest = (bound: Bound) =>
          load(
            clients,
            bound,
            async (client, request: string) =>
              expectStatus(await sides.rest.all[client]!.send(request), act.status),
            requests(() => act.rest(used++)),
          )
        for (const leg of legs) {
          const overMcp = (bound: Bound) =>
            load(
              clients,
              bound,
              async (client, request: string) => expectDone(await sides.mcp.all[client]!.send(request)),
              requests(() => toolCall(account.key, leg, act, used++)),
            )
          const bound = act.isWrite ? { count: perSlice[clients]! } : { ms: sliceMs }
          for (const side of [overMcp, overRest]) await side(act.isWrite ? bound : { ms: warmUpMs })
          const compared = await compare({
            pairs: Math.max(2, Math.round((seconds * 1_000) / sliceMs)),
            ours: () => overMcp(bound),
            bare: () => overRest(bound),
            ...(act.isWrite ? { between: () => services.quiet() } : {}),
          })
          findings.push(byLatency(`${act.name} over MCP ${leg}`, clients, compared, { atMost: 1.15 }))
        }
      }
      sides.mcp.close()
      sides.rest.close()
    }
    return findings
  },
}

type Bound = Parameters<typeof load>[1]

let used = 0

async function actsOf(services: Services, { key, proposers }: BenchAccount): Promise<Act[]> {
  const proposal = (n: number) => ({
    kind: 'broadcast',
    actor: { email: proposers[n % proposers.length]! },
    payload: { message: 'Lunch is at noon.' },
  })
  const { all, close } = httpClients(services.apiUrl, 1)
  const { body } = expectStatus(await all[0]!.send(postRequest('/api/v1/actions', key, proposal(0))), 201)
  close()
  const { id } = JSON.parse(body) as { id: number }
  const email = proposers[0]!
  return [
    {
      name: 'capability read',
      tool: 'check_capability',
      args: () => ({ email }),
      rest: () => getRequest(`/api/v1/capability?email=${encodeURIComponent(email)}`, key),
      status: 200,
    },
    {
      name: 'action read',
      tool: 'get_action',
      args: () => ({ id }),
      rest: () => getRequest(`/api/v1/actions/${id}`, key),
      status: 200,
    },
    {
      name: 'propose',
      tool: 'request_action',
      args: proposal,
      rest: (n) => postRequest('/api/v1/actions', key, proposal(n)),
      status: 201,
      isWrite: true,
    },
  ]
}

/** The call of a tool as a client of that revision sends it. */
function toolCall(key: string, leg: (typeof legs)[number], { tool, args }: Act, n: number): string {
  const isModern = leg === '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': leg,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return postRequest(
    '/api/mcp',
    key,
    {
      jsonrpc: '2.0',
      id: n,
      method: 'tools/call',
      params: { name: tool, arguments: args(n), ...(isModern ? { _meta } : {}) },
    },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': leg,
      ...(isModern ? { 'mcp-method': 'tools/call', 'mcp-name': tool } : {}),
    },
  )
}

function expectDone(answer: { status: number; body: string }): void {
  expectStatus(answer, 200)
  if (!answer.body.includes('"structuredContent"')) throw new Error(`no result: ${answer.body}`)
}

import { randomUUID } from 'node:crypto'
import { bareAccount } from '../bare/schema.ts'
import { benchAccount, runnerKeyOf } from '../support/accounts.ts'
import { expectStatus, httpClients, postRequest } from '../support/http-client.ts'
import { compare, load } from '../support/load.ts'
import type { Finding } from '../report.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byLatency, byRate, clientCounts } from './case.ts'

const warmUpMs = 2_500
const sliceMs = 1_000
/** Calls before and between two looks at the memory of the API. */
const memoryCalls = { warm: 20_000, more: 100_000 }

/** What the default rules allow, and what they deny. */
const inputs = {
  allow: { file_path: '/work/project/README.md' },
  deny: { file_path: '/home/ada/.ssh/id_ed25519' },
}

/**
 * Asks about tool calls as the hook of Claude Code does, each with an id of its own. The plain implementation selects the key
 * with its member and inserts one row; it has no rules.
 */
export const toolCalls: BenchCase = {
  name: 'tool-calls',
  async run(services, { seconds }) {
    const account = await benchAccount(services, { proposers: 1 })
    const key = await runnerKeyOf(account)
    await services.asSuperuser(`
      delete from bare.api_key where account_id = '${account.account}';
      delete from bare.member where account_id = '${account.account}';
      delete from bare.curriculum where account_id = '${account.account}';
      delete from bare.pass where account_id = '${account.account}';
      ${bareAccount(account.account)}`)
    const findings = []
    for (const decision of ['allow', 'deny'] as const) {
      for (const clients of clientCounts) {
        const sides = {
          ours: httpClients(services.apiUrl, clients),
          bare: httpClients(services.bareUrl, clients),
        }
        const slice = (side: keyof typeof sides, ms: number) =>
          load(clients, { ms }, async (n) => {
            const { body } = expectStatus(
              await sides[side].all[n]!.send(callOf(paths[side], key, decision)),
              200,
            )
            if (!body.includes(`"permissionDecision":"${decision}"`)) throw new Error(body)
          })
        await slice('ours', warmUpMs)
        await slice('bare', warmUpMs)
        // Autovacuum does this within a minute. Until then PostgreSQL may take the wrong index for a new table.
        await services.asSuperuser('analyze gate.tool_call')
        const compared = await compare({
          pairs: Math.max(2, Math.round((seconds * 1_000) / sliceMs)),
          ours: () => slice('ours', sliceMs),
          bare: () => slice('bare', sliceMs),
        })
        const name = `tool call, ${decision}`
        findings.push(
          clients === 1
            ? byLatency(name, clients, compared, { atMost: 1.3 })
            : byRate(name, clients, compared, { atLeast: 1 }),
        )
        sides.ours.close()
        sides.bare.close()
      }
    }
    return [...findings, await memoryOf(services, key)]
  },
}

const paths = { ours: '/api/v1/runner/tool-calls?runner=claude', bare: '/tool-calls' }

const callOf = (path: string, key: string, decision: keyof typeof inputs): string =>
  postRequest(path, key, {
    session_id: 'bench',
    cwd: '/work/project',
    hook_event_name: 'PreToolUse',
    tool_name: 'Read',
    tool_input: inputs[decision],
    tool_use_id: `toolu_${randomUUID()}`,
  })

/** The largest memory of the API after very many calls, compared with after some. */
async function memoryOf(services: Services, key: string): Promise<Finding> {
  const clients = 16
  const sides = httpClients(services.apiUrl, clients)
  const residentMb = async (count: number) => {
    await load(clients, { count }, async (n) =>
      expectStatus(await sides.all[n]!.send(callOf(paths.ours, key, 'allow')), 200),
    )
    return services.maxResidentMb()['api']!
  }
  const bare = await residentMb(memoryCalls.warm)
  const ours = await residentMb(memoryCalls.more)
  sides.close()
  const name = `memory of the API after ${memoryCalls.more} more tool calls, compared with before`
  return { case: name, clients, unit: 'MB', ours, bare, ratio: ours / bare, target: { atMost: 1.1 } }
}

import { z } from 'zod'
import type { ActionKind } from '../../../src/actions/registry.ts'
import { claimPerformer } from '../../../src/actions/declared/claim/perform.ts'
import type { MintOptions } from '../../support/account.ts'
import { type ApiClient, apiClient } from '../../support/api-client.ts'
import type { TestGate } from '../../support/gate.ts'
import { entriesOf } from '../../support/ledger-entries.ts'
import { callTool } from '../../support/mcp-tool.ts'
import { until } from '../../support/until.ts'

/** A kind that only tests know, whose actions are executed by whoever claims them. */
const claimed = (kind: string, leaseMinutes: number): ActionKind =>
  ({
    kind,
    payload: z.strictObject({ target: z.string() }),
    defaultRule: { tier: 'guarded_write', consent: 'agent_attested' },
    isHttpProposable: false,
    reaches: 'nobody',
    tool: {
      name: `propose_${kind}`,
      title: `Propose ${kind}`,
      description: `Propose ${kind}.`,
      group: 'gate',
      arguments: z.strictObject({ target: z.string() }),
    },
    executor: { type: 'claim', lease_minutes: leaseMinutes },
    performer: claimPerformer,
  }) as unknown as ActionKind

/** `deployment`: nobody hurries. `brief_deployment`: its lease ends after half a second. */
export const claimKinds = [claimed('deployment', 15), claimed('brief_deployment', 0.5 / 60)]

export type ClaimScene = Awaited<ReturnType<typeof claimScene>>

/** A member with confirmed actions, and keys that may execute them. */
export async function claimScene(gate: TestGate) {
  const account = await gate.account()
  const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'guarded_write' })
  const actor = { email: 'ada@example.com' }
  const { client } = account
  const propose = async (kind = 'deployment'): Promise<number> =>
    (await callTool(client, `propose_${kind}`, { actor, target: 'production' })).body.id
  return {
    ...account,
    ada,
    actor,
    propose,
    /** A confirmed action. */
    async confirmed(kind?: string): Promise<number> {
      const id = await propose(kind)
      const { status } = await client.confirm(id, actor)
      if (status !== 202) throw new Error(`the confirm was answered ${status}`)
      return id
    },
    async keyed(options: MintOptions): Promise<ApiClient> {
      return apiClient(gate.api.url, (await account.mintKey(options)).key)
    },
    entries: (id: number) => entriesOf(gate.database, account.account, id),
    ended: (id: number) =>
      until('the action has ended', async () => {
        const { body } = await client.get(id)
        return body.status !== 'proposed' && body
      }),
  }
}

export const claim = (client: ApiClient, id: number) => client.request('POST', `/api/v1/actions/${id}/claim`)

export const report = (client: ApiClient, id: number, body: Record<string, unknown>) =>
  client.request('POST', `/api/v1/actions/${id}/outcome`, { body })

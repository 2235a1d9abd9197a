import { z } from 'zod'
import type { ActionKind } from '../../../src/actions/registry.ts'
import { claimPerformer } from '../../../src/actions/declared/claim/perform.ts'
import type { MintOptions } from '../../support/account.ts'
import { type ApiClient, apiClient } from '../../support/api-client.ts'
import type { TestGate } from '../../support/gate.ts'
import { declare } from '../../support/declared-kind.ts'
import { entriesOf } from '../../support/ledger-entries.ts'
import { callTool } from '../../support/mcp-tool.ts'
import { until } from '../../support/until.ts'

/** What the accounts of these tests declare. */
const deployment = {
  kind: 'deployment',
  title: 'Deploy',
  description: 'Deploy the newest version.',
  payload: { type: 'object', properties: { target: { type: 'string' } }, required: ['target'] },
  card: [{ label: 'Target', value: '/target', format: 'text' }],
  default_rule: { tier: 'guarded_write', consent: 'agent_attested' },
  executor: { type: 'claim', lease_minutes: 15 },
}

/** A kind whose lease is shorter than one that can be declared: half a second. */
const briefDeployment = {
  kind: 'brief_deployment',
  payload: z.strictObject({ target: z.string() }),
  defaultRule: { tier: 'guarded_write', consent: 'agent_attested' },
  isHttpProposable: false,
  reaches: 'nobody',
  tool: {
    name: 'propose_brief_deployment',
    title: 'Deploy in a hurry',
    description: 'Deploy the newest version in a hurry.',
    group: 'gate',
    arguments: z.strictObject({ target: z.string() }),
  },
  executor: { type: 'claim', lease_minutes: 0.5 / 60 },
  performer: claimPerformer,
} as unknown as ActionKind

export const claimKinds = [briefDeployment]

/** A member with confirmed actions, and keys that may execute them. */
export async function claimScene(gate: TestGate) {
  const account = await gate.account()
  const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'guarded_write' })
  const actor = { email: 'ada@example.com' }
  const { client } = account
  await declare(gate.deps.db, account.account, deployment)
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

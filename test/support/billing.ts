import type { TestAccount, TestMember } from './account.ts'
import type { ApiClient } from './api-client.ts'
import { requireDescribed } from './described.ts'
import type { TestGate } from './gate.ts'
import { type ToolAnswer, callTool } from './mcp-tool.ts'

export interface BillingScene {
  account: TestAccount & { client: ApiClient }
  client: ApiClient
  /** One member a tier. */
  reader: TestMember
  guarded: TestMember
  writer: TestMember
  /** Calls a tool for the member of `guarded_write`, or another. */
  tool(name: string, args?: Record<string, unknown>, member?: TestMember): Promise<ToolAnswer>
  /** Proposes by a tool and confirms by another, and answers the row as it ended. */
  done(name: string, args: Record<string, unknown>, member?: TestMember): Promise<any>
}

/** An account of a gate with a member a tier, and tools called as an agent would. */
export async function billingScene(gate: TestGate): Promise<BillingScene> {
  const account = await gate.account()
  const reader = await account.addMember({ name: 'Rea', email: 'rea@example.com' })
  const guarded = await account.addMember({ name: 'Gus', email: 'gus@example.com', tier: 'guarded_write' })
  const writer = await account.addMember({ name: 'Wil', email: 'wil@example.com', tier: 'write' })
  const tool: BillingScene['tool'] = (name, args = {}, member = guarded) =>
    callTool(account.client, name, { actor: { email: member.email }, ...args })
  return {
    account,
    client: account.client,
    reader,
    guarded,
    writer,
    tool,
    async done(name, args, member) {
      const proposed = await tool(name, args, member)
      if (proposed.body.status !== 'proposed') throw new Error(JSON.stringify(proposed.body))
      const { body } = await tool('confirm_action', { id: proposed.body.id }, member)
      for (const action of [proposed.body, body]) requireDescribed(action)
      return body
    },
  }
}

import { expect } from '@jest/globals'
import type { ApiClient } from './api-client.ts'
import type { TestGate } from './gate.ts'
import { modernRpc } from './mcp-tool.ts'

/** What the client of a call can do. */
export const declares = (capabilities: object) => ({
  meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities },
})
export const forms = declares({ elicitation: {} })
export const pages = declares({ elicitation: { form: {}, url: {} } })

export const requires = (consent: string) => ({ kinds: { broadcast: { tier: 'guarded_write', consent } } })

let people = 0
/** An account whose broadcasts need a consent of this strength, and one of them. */
export async function askingScene(gate: TestGate, consent = 'client_attested') {
  const account = await gate.account()
  await account.setPolicy(requires(consent))
  const identities = { email: `grace${++people}@example.com`, slack: `U0GRACE${people}` }
  const member = await account.addMember({ name: 'Grace', ...identities, tier: 'guarded_write' })
  const actor = { email: identities.email }
  const propose = async () => (await account.client.propose(actor, 'Dinner is at six.')).body.id as number
  const id = await propose()
  return { ...account, member, actor, id, propose, args: { id, actor } }
}

export interface Answer {
  requestState?: unknown
  inputResponses?: unknown
}

export const call = async (
  client: ApiClient,
  name: string,
  args: object,
  given: Answer = {},
  options = forms,
) => (await modernRpc(client, 'tools/call', { name, arguments: args, ...given }, options)).body.result
export const confirm = (client: ApiClient, args: object, given: Answer = {}, options = forms) =>
  call(client, 'confirm_action', args, given, options)

/** The question that a call is answered with. */
export async function questionTo(client: ApiClient, args: object, name = 'confirm_action', options = forms) {
  const result = await call(client, name, args, {}, options)
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
  return { requestState: result.requestState as string, params: result.inputRequests.consent.params }
}

export const inputResponses = { consent: { action: 'accept', content: { decision: 'approve' } } }
export const opened = { consent: { action: 'accept' } }
export const errorOf = (result: any) => (result.isError ? JSON.parse(result.content[0].text) : result)

/** The state of an action that nobody should have decided. */
export async function untouched({ client, id }: { client: ApiClient; id: number }) {
  const { body } = await client.get(id)
  return body.status === 'proposed' && body.consent === undefined
}

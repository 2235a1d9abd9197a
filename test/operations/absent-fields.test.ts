import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { callTool, rpc } from '../support/mcp-tool.ts'
import { testRows } from '../support/rows.ts'
import { makeConversation, writeFiles } from '../support/site.ts'

let gate: TestGate
let open: OpenBroadcast
let client: ApiClient
beforeAll(async () => {
  gate = await startGate({ workers: false })
  open = await gate.openBroadcast()
  client = open.client
  await declare(gate.database.db, open.account.account, customerDeletion())
}, 60_000)
afterAll(() => gate.stop())

const email = 'member0@example.com'
const slack = 'U00000000'
let messages = 0
const fresh = () => `Message ${++messages}`

/** What both ways answer to a body: the status of the action, or the field that was wrong. */
async function proposedBy(body: Record<string, unknown>): Promise<string[]> {
  const given = () => ({ kind: 'broadcast', payload: { message: fresh() }, ...body })
  const rest = await client.request('POST', '/api/v1/actions', { body: given() })
  const tool = await callTool(client, 'request_action', given())
  return [rest.body, tool.body].map(({ status, param }) => status ?? param)
}

const both = (word: string) => [word, word]

testRows<[Record<string, unknown> | null, string]>([
  [{ email, provider: null, external_id: null }, 'proposed'],
  [{ email, provider: '', external_id: '' }, 'proposed'],
  [{ email, provider: 'email', external_id: '' }, 'proposed'],
  [{ email, provider: 'slack', external_id: null }, 'proposed'],
  [{ email, provider: 'email', external_id: email }, 'proposed'],
  [{ email: '', provider: 'slack', external_id: slack }, 'proposed'],
  [{ email: null, provider: 'slack', external_id: slack }, 'proposed'],
  [{ email, provider: 'slack', external_id: slack }, 'proposed'],
  // A wrong value stays wrong.
  [{ email, provider: 'slack' }, 'actor'],
  [{ email: '', provider: 'slack', external_id: '' }, 'actor'],
  [{ email: '', provider: '', external_id: slack }, 'actor'],
  [{ email: null, provider: null, external_id: null }, 'actor'],
  [{ email: ' ' }, 'actor'],
  [{ email, provider: 'teams', external_id: '' }, 'actor.provider'],
  [{ email, provider: 0, external_id: '' }, 'actor.provider'],
  [{ email, external_id: false }, 'actor.external_id'],
  [{ email, phone: null }, 'actor.phone'],
  [{}, 'actor'],
  [null, 'actor'],
])('an actor whose fields must all be filled in: an empty or null one is absent', async (actor, says) =>
  expect(await proposedBy({ actor })).toEqual(both(says)),
)

testRows<[Record<string, unknown>, string]>([
  [{ rationale: null }, 'proposed'],
  [{ rationale: '' }, 'proposed'],
  [{ ask: null }, 'proposed'],
  [{ rationale: null, ask: false }, 'proposed'],
  [{ rationale: '  ' }, 'rationale'],
  [{ ask: '' }, 'ask'],
  [{ ask: 'true' }, 'ask'],
  [{ reason: null }, 'reason'],
  // A required field is never absent.
  [{ payload: null }, 'payload'],
  [{ payload: { message: null } }, 'payload.message'],
  [{ payload: { message: '' } }, 'payload.message'],
  [{ kind: null }, 'kind'],
])('an optional field of a body that is null or an empty text is absent', async (body, says) =>
  expect(await proposedBy({ actor: { email }, ...body })).toEqual(both(says)),
)

test('an optional field of a declared kind that is null or an empty text is absent', async () => {
  const payload = { customer: { id: 'cus_1', name: null }, why: '', keep_invoices: null }
  const body = { kind: 'customer_deletion', actor: { email }, payload }
  const { body: row } = await client.request('POST', '/api/v1/actions', { body })
  expect(row).toMatchObject({ status: 'proposed', payload: { customer: { id: 'cus_1' } } })
  expect(row.payload).toEqual({ customer: { id: 'cus_1' } })
  const tool = await callTool(client, 'propose_customer_deletion', { actor: { email }, ...payload })
  expect(tool.body.payload).toEqual({ customer: { id: 'cus_1' } })
})

test('an optional argument of a tool that is null or an empty text is absent: of money, keys of repeats, pages and filters', async () => {
  const wil = await open.account.addMember({ name: 'Wil', email: 'wil@example.com', tier: 'write' })
  const actor = { email: wil.email, provider: null, external_id: '' }
  const listed = await callTool(client, 'list_payments', { actor, customer: '', limit: null, after: null })
  const [payment] = listed.body.payments
  const refund = await callTool(client, 'issue_refund', {
    actor,
    payment: payment.id,
    amount_cents: null,
    reason: '',
    rationale: null,
    idempotency_key: '',
  })
  expect(refund.body).toMatchObject({
    status: 'proposed',
    payload: { amount_cents: payment.amount_cents - payment.refunded_cents },
  })
  const number = await callTool(client, 'issue_refund', { actor, payment: payment.id, amount_cents: '' })
  expect(number.body).toMatchObject({ code: 'invalid', param: 'amount_cents' })
  const page = await callTool(client, 'list_actions', { limit: null, order: '', status: null, kind: '' })
  expect(page.body.actions.length).toBeGreaterThan(0)
  // A filter that is left empty would list everything.
  const all = await callTool(client, 'list_actions', { status: '' })
  expect(all.body).toMatchObject({ code: 'invalid', param: 'status' })
})

test('a digest that is empty is refused, because it would check nothing', async () => {
  const { body } = await client.propose({ email }, fresh())
  const empty = await client.request('POST', `/api/v1/actions/${body.id}/confirm`, {
    body: { actor: { email }, digest: '' },
  })
  expect([empty.status, empty.body.param]).toEqual([422, 'digest'])
  const none = await client.request('POST', `/api/v1/actions/${body.id}/confirm`, {
    body: { actor: { email }, digest: null },
  })
  expect(none.status).toBe(202)
})

describe('a key that is bound to one member', () => {
  let bound: ApiClient
  beforeAll(async () => {
    const { key } = await open.account.mintKey({ actors: [open.proposer] })
    bound = apiClient(gate.api.url, key)
    await makeConversation(gate, open.account.account, 'own', [open.proposer])
    writeFiles(gate, open.account.account, 'own', { 'index.html': '<h1>Built</h1>' })
  })

  test('needs no actor over REST', async () => {
    const post = (path: string, body: object) => bound.request('POST', path, { body })
    expect((await bound.capability({})).body.member.email).toBe(email)
    const action = { kind: 'broadcast', payload: { message: fresh() } }
    const { body } = await post('/api/v1/actions', action)
    expect(body).toMatchObject({ status: 'proposed', member: email })
    expect((await post(`/api/v1/actions/${body.id}/confirm`, {})).status).toBe(202)
    const other = await post('/api/v1/actions', { ...action, payload: { message: fresh() }, actor: null })
    expect((await post(`/api/v1/actions/${other.body.id}/cancel`, {})).body.status).toBe('cancelled')
    expect((await bound.request('GET', '/api/v1/conversations/own/files')).body.files).toHaveLength(1)
  })

  test('needs none over MCP, and its tools do not require one', async () => {
    const { body } = await callTool(bound, 'request_action', {
      kind: 'broadcast',
      actor: { email: '', provider: 'email', external_id: '' },
      payload: { message: fresh() },
    })
    expect(body).toMatchObject({ status: 'proposed', member: email })
    expect((await callTool(bound, 'check_capability')).body.member.email).toBe(email)
    expect((await callTool(bound, 'list_payments')).body.payments.length).toBeGreaterThan(0)
    expect((await callTool(bound, 'cancel_action', { id: body.id })).body.status).toBe('cancelled')
    const { tools } = (await rpc(bound, 'tools/list')).body.result
    const required = tools.flatMap(({ inputSchema }: any) => inputSchema.required ?? [])
    expect(required).toContain('payload')
    expect(required).not.toContain('actor')
  })

  test('gets its first answer under an Idempotency-Key with or without a new address of the member', async () => {
    const { account } = open
    const member = await account.addMember({ name: 'Mo', email: 'mo@example.com', tier: 'guarded_write' })
    const { key } = await account.mintKey({ actors: [member] })
    const mo = apiClient(gate.api.url, key)
    const propose = () =>
      mo.request('POST', '/api/v1/actions', {
        body: { kind: 'broadcast', payload: { message: 'Once' } },
        headers: { 'idempotency-key': 'once' },
      })
    const first = await propose()
    await account.setIdentity(member, { email: 'mo2@example.com' })
    expect((await propose()).body).toEqual(first.body)
  })

  test('still refuses another member', async () => {
    const answer = await bound.propose({ provider: 'slack', external_id: 'U00000001' }, fresh())
    expect([answer.status, answer.body.code]).toEqual([403, 'key_member_not_allowed'])
  })
})

testRows<[number, number]>([
  [0, 422],
  [2, 422],
])('a key that is bound to none or several must name the member', async (members, status) => {
  const other = await open.account.addMember({
    name: 'Other',
    email: `other${fresh()}@example.com`.replace(' ', ''),
  })
  const actors = [open.proposer, other].slice(0, members)
  const { key } = await open.account.mintKey(members === 0 ? {} : { actors })
  const named = apiClient(gate.api.url, key)
  const body = { kind: 'broadcast', payload: { message: fresh() } }
  const missing = await named.request('POST', '/api/v1/actions', { body })
  expect([missing.status, missing.body.param]).toEqual([status, 'actor'])
  expect((await named.capability({})).status).toBe(status)
})

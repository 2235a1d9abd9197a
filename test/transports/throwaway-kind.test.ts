import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { type ActionKind, actionKinds } from '../../src/actions/registry.ts'
import { taskQueue } from '../../src/temporal/names.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { useGate } from '../support/use-gate.ts'
import { callTool, rpc } from '../support/mcp-tool.ts'

const bought: string[] = []

/** A kind that exists in this file alone: no route, no workflow, no SQL and no transport knows it. */
const coffee: ActionKind<{ cups: number; cents_each: number }> = {
  kind: 'coffee',
  payload: z
    .strictObject({ cups: z.int().min(1), cents_each: z.int().min(1) })
    .refine((order) => order.cups <= 10 || order.cents_each < 500, 'must not be so many of the dear ones'),
  defaultRule: {
    bands: {
      usd: [
        { up_to_cents: 1_000, tier: 'guarded_write', consent: 'agent_attested' },
        { up_to_cents: 5_000, tier: 'write', consent: 'agent_attested' },
      ],
    },
  },
  isHttpProposable: false,
  reaches: 'nobody',
  weigh: ({ cups, cents_each }) => ({ amountCents: cups * cents_each, currency: 'usd' }),
  tool: {
    name: 'buy_coffee',
    title: 'Buy coffee',
    description: 'Buy coffee for everyone.',
    group: 'billing',
    arguments: z.strictObject({ cups: z.int(), cents_each: z.int() }),
  },
  performer: {
    plan: async () => [{ queue: taskQueue.gate, name: 'brew' }],
    async perform(_deps, row, step) {
      bought.push(`${step} ${row.id}`)
    },
    conclude: async (_deps, row) => ({
      status: 'executed',
      closedReason: null,
      result: { outcome: 'done', cups: row.payload['cups'] as number },
    }),
  },
}

const gate = useGate({ kinds: [...actionKinds, coffee as unknown as ActionKind] })

async function accountOfAda() {
  const account = await gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  return { account, client: account.client, actor: { email: 'ada@example.com' } }
}

test('a new kind has its own tool, in its own group, and HTTP propose goes on refusing it', async () => {
  const { client, actor } = await accountOfAda()
  const { tools } = (await rpc(client, 'tools/list')).body.result
  const tool = tools.find(({ name }: { name: string }) => name === 'buy_coffee')
  expect(tool).toMatchObject({
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  })
  expect(Object.keys(tool.inputSchema.properties)).toEqual([
    'actor',
    'ask',
    'replaces',
    'cups',
    'cents_each',
    'rationale',
    'idempotency_key',
  ])
  const payload = { cups: 1, cents_each: 300 }
  const overHttp = await client.request('POST', '/api/v1/actions', {
    body: { kind: 'coffee', actor, payload },
  })
  const overMcp = await callTool(client, 'request_action', { kind: 'coffee', actor, payload })
  expect([overHttp.status, overMcp.isError]).toEqual([422, true])
  expect(overHttp.body.error).toBe(
    'coffee cannot be proposed here; use the MCP tool buy_coffee, with the same key at POST /api/mcp.',
  )
})

test('a new kind is proposed by its tool, and read, confirmed and executed over REST', async () => {
  const { account, client, actor } = await accountOfAda()
  const { body: proposed } = await callTool(client, 'buy_coffee', { actor, cups: 2, cents_each: 300 })
  expect(proposed).toMatchObject({
    id: 1,
    kind: 'coffee',
    status: 'proposed',
    source: 'mcp',
    payload: { cups: 2, cents_each: 300 },
    blast_radius: { slack: 0, email: 0, unreachable: 0 },
    requires_confirmation: true,
  })
  expect((await client.get(1)).body).toEqual(proposed)
  const { card, ...row } = proposed
  expect(card).toContain('coffee')
  expect((await client.list({ kind: 'coffee' })).body.actions).toEqual([row])
  expect(bought).not.toContain('brew 1')
  const confirmed = await client.confirm(1, actor, { digest: proposed.digest })
  expect([confirmed.status, confirmed.body]).toMatchObject([
    200,
    { status: 'executed', result: { outcome: 'done', cups: 2 } },
  ])
  expect(bought.filter((b) => b === 'brew 1')).toHaveLength(1)
  expect(await entryKindsOf(gate.database, account.account, 1)).toEqual(['proposed', 'confirmed', 'executed'])
})

test('a new kind is read, confirmed and cancelled over MCP, and cancelled over REST', async () => {
  const { client, actor } = await accountOfAda()
  for (const cups of [1, 2, 3]) await callTool(client, 'buy_coffee', { actor, cups, cents_each: 300 })
  const confirmed = await callTool(client, 'confirm_action', { id: 1, actor })
  const cancelled = await callTool(client, 'cancel_action', { id: 2, actor })
  const overRest = await client.cancel(3, actor)
  expect(confirmed.body).toMatchObject({ status: 'executed', result: { outcome: 'done', cups: 1 } })
  expect(cancelled.body).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
  expect([overRest.status, overRest.body.status]).toEqual([200, 'cancelled'])
  expect((await callTool(client, 'get_action', { id: 1 })).body).toEqual(confirmed.body)
})

test('a new kind is weighed by its amount: denied where the tier is too low, and above the last band for everyone', async () => {
  const { client, actor } = await accountOfAda()
  const small = await callTool(client, 'buy_coffee', { actor, cups: 2, cents_each: 500 })
  const large = await callTool(client, 'buy_coffee', { actor, cups: 3, cents_each: 400 })
  const huge = await callTool(client, 'buy_coffee', { actor, cups: 10, cents_each: 600 })
  expect([small.body.status, large.body.status, huge.body.status]).toEqual(['proposed', 'denied', 'denied'])
  expect(large.body.denial_reason).toContain(
    'This 12.00 USD coffee requires `write` (up to 50.00 USD); the member has `guarded_write`',
  )
  expect(huge.body.denial_reason).toContain('above the highest amount')
  expect(large.isError).toBe(false)
})

test("an account's policy may set the bands of a new kind", async () => {
  const { account, client, actor } = await accountOfAda()
  await account.setPolicy({
    kinds: { coffee: { bands: { usd: [{ tier: 'read_only', consent: 'agent_attested' }] } } },
  })
  const { body } = await callTool(client, 'buy_coffee', { actor, cups: 10, cents_each: 499 })
  expect(body.status).toBe('proposed')
})

test('what the payload of a new kind refuses beyond the arguments is a refusal with a sentence, not an internal error', async () => {
  const { client, actor } = await accountOfAda()
  for (const order of [
    { cups: 0, cents_each: 300 },
    { cups: 11, cents_each: 500 },
  ]) {
    const answer = await callTool(client, 'buy_coffee', { actor, ...order })
    expect([answer.isError, answer.body.error]).toEqual([true, expect.not.stringContaining('Internal')])
  }
  expect((await client.list()).body.actions).toEqual([])
})

test('the idempotency key of a new kind works as every other', async () => {
  const { client, actor } = await accountOfAda()
  const order = { actor, cups: 1, cents_each: 300, idempotency_key: 'coffee-1' }
  const first = await callTool(client, 'buy_coffee', order)
  expect((await callTool(client, 'buy_coffee', order)).body).toEqual(first.body)
  expect(await callTool(client, 'buy_coffee', { ...order, cups: 2 })).toMatchObject({ isError: true })
})

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { randomUUID } from 'node:crypto'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { apiClient } from '../support/api-client.ts'
import {
  askingScene,
  call,
  confirm,
  declares,
  errorOf,
  inputResponses,
  opened,
  pages,
  questionTo,
  requires,
  untouched,
} from '../support/asking-client.ts'
import { signedInByMail, startConsole, visitor } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import { ringOf } from '../support/connect.ts'
import type { TestGate } from '../support/gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { testRows } from '../support/rows.ts'
// A client of MCP 2026-07-28 that can ask its user: on the page of the decision, or by a form of its own where the policy says so.

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole({ workers: true, env: { SECRETS_KEYS: ringOf('k1') } })
}, 60_000)
afterAll(() => gate.stop())

const scene = (consent?: string) => askingScene(gate, consent)

describe('a client with forms, where the policy takes its word', () => {
  test('shows the card with two choices, and an approval is recorded as its word', async () => {
    const { account, client, actor, args, id } = await scene()
    const { requestState, params } = await questionTo(client, args)
    expect(params).toMatchObject({
      mode: 'form',
      message: expect.stringContaining('│ Dinner is at six.'),
      requestedSchema: { required: ['decision'] },
    })
    // Nobody else is asked.
    expect((await client.get(id)).body).not.toHaveProperty('consent_request')
    const { structuredContent: done } = await confirm(client, args, { inputResponses, requestState })
    expect(done).toMatchObject({
      status: 'executed',
      consent_required: 'client_attested',
      consent: { strength: 'client_attested', by: actor.email, channel: 'mcp' },
    })
    const [confirmed] = (await entriesOf(gate.database, account, id)).filter(
      ({ kind }) => kind === 'confirmed',
    )
    expect(confirmed!.entry.data).toMatchObject({ strength: 'client_attested', card: expect.any(String) })
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })

    const again = errorOf(await confirm(client, args, { inputResponses, requestState }))
    expect(again).toMatchObject({ code: 'already_decided' })
  })

  testRows([
    ['the choice of the form', { action: 'accept', content: { decision: 'decline' } }],
    ['the refusal of the question', { action: 'decline' }],
  ])('cancels the proposal after %s', async (_what, consent) => {
    const { client, args } = await scene()
    const { requestState } = await questionTo(client, args)
    const result = await confirm(client, args, { inputResponses: { consent }, requestState })
    expect(result.structuredContent).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
  })

  test('has the member asked where its user closes the question, and claims nothing, whatever the policy says by then', async () => {
    const { client, args, setPolicy } = await scene()
    const inputResponses = { consent: { action: 'cancel' } }
    const { requestState } = await questionTo(client, args)
    await setPolicy(requires('agent_attested'))
    const { structuredContent } = await confirm(client, args, { inputResponses, requestState })
    expect(structuredContent).toMatchObject({ status: 'proposed', consent_request: { required: 'chat' } })
  })

  test('repeats an approval under its idempotency key, and gets the same answer', async () => {
    const { client, args } = await scene()
    const keyed = { ...args, idempotency_key: randomUUID() }
    const { requestState } = await questionTo(client, keyed)
    const answers = [0, 1].map(() => confirm(client, keyed, { inputResponses, requestState }))
    for (const { structuredContent } of await Promise.all(answers))
      expect(structuredContent).toMatchObject({
        status: 'executed',
        consent: { strength: 'client_attested' },
      })
  })

  test('is the official client, which answers by itself', async () => {
    const { client, key, args } = await scene()
    const asked: unknown[] = []
    const agent = new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    agent.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { decision: 'approve' } }
    })
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    await agent.connect(new StreamableHTTPClientTransport(new URL('/api/mcp', gate.api.url), { requestInit }))
    const { structuredContent } = await agent.callTool({ name: 'confirm_action', arguments: args })
    await agent.close()
    expect(structuredContent).toMatchObject({ status: 'executed', consent: { strength: 'client_attested' } })
    expect(asked).toEqual([expect.stringContaining('Decided by: Grace')])
    expect((await client.get(args.id)).body.consent.strength).toBe('client_attested')
  })
})

describe('the policy decides', () => {
  test('a floor above: the member is asked, also where it rose between card and answer', async () => {
    for (const floor of ['chat', 'page']) {
      const { client, args, setPolicy } = await scene()
      const { requestState } = await questionTo(client, args)
      await setPolicy(requires(floor))
      const { structuredContent } = await confirm(client, args, { inputResponses, requestState })
      expect(structuredContent).toMatchObject({ status: 'proposed', consent_request: { required: floor } })
      const above = await scene(floor)
      expect((await confirm(above.client, above.args)).structuredContent).toMatchObject({
        status: 'proposed',
        consent_request: { required: floor },
      })
    }
  })

  test('a floor that is lower meanwhile: the confirm is the agent’s word', async () => {
    const { client, args, setPolicy } = await scene()
    const { requestState } = await questionTo(client, args)
    await setPolicy(requires('agent_attested'))
    const { structuredContent } = await confirm(client, args, { inputResponses, requestState })
    expect(structuredContent).toMatchObject({ status: 'executed', consent: { strength: 'agent_attested' } })
  })

  test('off by default: nobody is shown a card', async () => {
    const { client, actor, id } = await gate.openBroadcast()
    const { structuredContent } = await confirm(client, { id, actor })
    expect(structuredContent).toMatchObject({ status: 'executed', consent: { strength: 'agent_attested' } })
  })

  testRows([
    ['has no forms', declares({})],
    ['has modes that are not known', declares({ elicitation: { voice: {} } })],
    ['follows a task', declares({ elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } })],
  ])('the member is asked where the client %s', async (_what, options) => {
    const { client, args, id } = await scene()
    const result = await confirm(client, args, {}, options)
    expect(result.resultType).not.toBe('input_required')
    expect((await client.get(id)).body.consent_request).toMatchObject({ required: 'chat' })
  })
})

describe('a client that opens pages', () => {
  test('is sent to the page of the decision, where the member signs in: the strength is that of the page', async () => {
    const { client, args, id, actor } = await scene('chat')
    const { requestState, params } = await questionTo(client, args, 'confirm_action', pages)
    expect(params).toEqual({
      mode: 'url',
      message: expect.stringContaining(`action ${id}`),
      url: `${gate.deps.publicUrl()}/console/proposals/${id}`,
    })
    const path = new URL(params.url).pathname
    const stranger = await visitor(gate).open(path)
    expect([stranger.status, stranger.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('sign-in'),
    ])
    expect((await client.get(id)).body.consent_request).toMatchObject({ requested_via: 'slack' })

    const grace = await signedInByMail(gate, actor.email)
    await grace.send(path, { ...formOf((await grace.open(path)).html), does: 'confirm' })
    const given = { inputResponses: opened, requestState }
    const { resultType, structuredContent } = await confirm(client, args, given, pages)
    expect(resultType).toBe('complete')
    expect(structuredContent).toMatchObject({
      status: 'executed',
      consent: { strength: 'page', channel: 'console', by: actor.email },
    })
  })

  test('decides nothing by opening it, and is not sent there by a read', async () => {
    const one = await scene('page')
    const { requestState } = await questionTo(one.client, one.args, 'confirm_action', pages)
    for (const [name, args] of [
      ['get_action', { id: one.id }],
      ['await_action', { id: one.id, timeout_seconds: 1 }],
    ] as const)
      expect(await call(one.client, name, args, {}, pages)).toMatchObject({
        resultType: 'complete',
        structuredContent: { status: 'proposed' },
      })
    const answer = (given: unknown) =>
      confirm(one.client, one.args, { inputResponses: given, requestState }, pages)
    for (const action of ['cancel', 'decline'])
      expect((await answer({ consent: { action } })).structuredContent).toMatchObject({ status: 'proposed' })
    const answers = [opened, inputResponses].map(answer)
    expect(await untouched(one)).toBe(true)
    await one.client.cancel(one.id, one.actor)
    for (const { structuredContent } of await Promise.all(answers))
      expect(structuredContent).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
  })

  test('of a key that cannot confirm, is sent there by each proposal, and proposes once', async () => {
    const { mintKey, client, actor, id, member } = await scene('page')
    const weak = apiClient(
      gate.api.url,
      (await mintKey({ powers: ['read', 'propose'], actors: [member] })).key,
    )
    const proposal = { kind: 'broadcast', payload: { message: 'Once.' } }
    const { requestState, params } = await questionTo(weak, proposal, 'request_action', pages)
    expect(params.url).toMatch(new RegExp(`/console/proposals/${id + 1}$`))
    await client.cancel(id + 1, actor)
    const given = { inputResponses: opened, requestState }
    const { structuredContent } = await call(weak, 'request_action', proposal, given, pages)
    expect(structuredContent).toMatchObject({ id: id + 1, status: 'cancelled' })
    expect((await client.get(id + 2)).status).toBe(404)
  })

  test('that cannot read is told as before', async () => {
    const { mintKey, args } = await scene('page')
    const blind = apiClient(gate.api.url, (await mintKey({ powers: ['propose', 'confirm'] })).key)
    expect((await confirm(blind, args, {}, pages)).structuredContent).toMatchObject({
      consent_request: { required: 'page' },
    })
  })
})

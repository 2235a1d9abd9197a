import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { productVersion } from '../../src/process/version.ts'
import { randomUUID } from 'node:crypto'
import { type RunningApi, startApi } from '../../src/api.ts'
import type { ToolGroup } from '../../src/config.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { apiClient } from '../support/api-client.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { errorBody } from '../support/error-body.ts'
import { type Connect, type ProgressTold, connectAgent, mcpClients } from '../support/mcp-clients.ts'
import { callTool, rpc } from '../support/mcp-tool.ts'
import type { ListedTool } from '../support/tool-text.ts'
import { until } from '../support/until.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let open: OpenBroadcast
const own = 'https://gate.example'
const dataOf = (code: string) => ({ code, request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
beforeAll(async () => {
  gate = await startGate({ env: { PUBLIC_URL: own } })
  open = await gate.openBroadcast()
}, 60_000)
afterAll(() => gate.stop())

const gateTools = [
  'check_capability',
  'request_action',
  'confirm_action',
  'cancel_action',
  'get_action',
  'await_action',
  'list_actions',
]
const toolNames = [
  ...gateTools,
  'create_checkout',
  'cancel_subscription',
  'issue_refund',
  'send_payout',
  'list_payments',
  'connect_integration',
  'list_workspace_files',
  'read_workspace_file',
  'start_preview',
  'preview_status',
  'stop_preview',
]

const connect = (make: Connect, key: string) => connectAgent(make, gate.api.url, key)

describe.each(mcpClients)('%s', (_which, make, revision) => {
  test('lists the tools and reads the instructions', async () => {
    const agent = await connect(make, open.account.key)
    const { tools } = await agent.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(toolNames)
    expect(agent.revision()).toBe(revision)
    expect(agent.getInstructions()).toMatch(/denied.*blast_radius.*confirm_action.*explicit yes/s)
    await agent.close()
  })

  test('goes from check to propose to confirm, and reads the outcome', async () => {
    const { account, client, actor, proposer } = await gate.openBroadcast()
    const agent = await connect(make, account.key)
    // A client that listed the tools checks every answer against their output schemas.
    await agent.listTools()
    const call = async (name: string, args: Record<string, unknown>) =>
      ((await agent.callTool({ name, arguments: args })) as { structuredContent: any }).structuredContent
    const capability = await call('check_capability', actor)
    const proposed = await call('request_action', {
      kind: 'broadcast',
      actor,
      payload: { message: 'Over MCP.' },
    })
    const executed = await call('confirm_action', { id: proposed.id, actor, digest: proposed.digest })
    const other = await call('request_action', {
      kind: 'broadcast',
      actor,
      payload: { message: 'Never mind.' },
    })
    const cancelled = await call('cancel_action', { id: other.id, actor })
    const read = await call('get_action', { id: proposed.id })
    const listed = await call('list_actions', { kind: 'broadcast', status: 'executed' })
    expect(capability).toMatchObject({ tier: 'guarded_write', tier_source: 'admin' })
    expect(proposed).toMatchObject({
      status: 'proposed',
      source: 'mcp',
      blast_radius: { slack: 2, email: 1 },
    })
    expect(executed).toMatchObject({
      status: 'executed',
      result: { outcome: 'done' },
      consent: { strength: 'agent_attested', by: proposer.email, channel: 'mcp' },
    })
    expect(cancelled).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
    expect(read).toEqual(executed)
    expect(listed.actions).toEqual([expect.objectContaining({ id: proposed.id, result: executed.result })])
    expect((await client.get(proposed.id)).body).toEqual(executed)
    await agent.close()
  })

  test('gets a denial as a result, and a refusal as an error it can read', async () => {
    const { account, actor } = await gate.openBroadcast()
    await account.addMember({ email: 'low@example.com' })
    const agent = await connect(make, account.key)
    const denied = await agent.callTool({
      name: 'request_action',
      arguments: { kind: 'broadcast', actor: { email: 'low@example.com' }, payload: { message: 'May I?' } },
    })
    const refused = await agent.callTool({ name: 'confirm_action', arguments: { id: 99, actor } })
    expect(denied).toMatchObject({ structuredContent: { status: 'denied' } })
    expect(denied).not.toHaveProperty('isError')
    expect(refused).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('99') }],
    })
    expect(refused).not.toHaveProperty('structuredContent')
    await agent.close()
  })

  test('cannot connect without a valid key', async () => {
    await expect(connect(make, 'qgk_wrong')).rejects.toThrow(/401|Unauthorized|API key/i)
  })
})

describe('a tool', () => {
  let tools: ListedTool[]
  beforeAll(async () => {
    tools = (await rpc(open.client, 'tools/list')).body.result.tools
  })

  test('says all four hints, in booleans, and only the one that executes is destructive', () => {
    const hints = Object.fromEntries(
      tools.map(({ name, annotations: a }) => [
        name,
        [a!['readOnlyHint'], a!['destructiveHint'], a!['idempotentHint'], a!['openWorldHint']],
      ]),
    )
    expect(hints).toEqual({
      check_capability: [true, false, true, false],
      request_action: [false, false, false, false],
      confirm_action: [false, true, false, true],
      cancel_action: [false, false, true, false],
      get_action: [true, false, true, false],
      await_action: [true, false, true, false],
      list_actions: [true, false, true, false],
      create_checkout: [false, false, false, false],
      cancel_subscription: [false, false, false, false],
      issue_refund: [false, false, false, false],
      send_payout: [false, false, false, false],
      list_payments: [true, false, true, true],
      connect_integration: [false, false, false, false],
      list_workspace_files: [true, false, true, false],
      read_workspace_file: [true, false, true, false],
      start_preview: [false, false, true, false],
      preview_status: [true, false, true, false],
      stop_preview: [false, false, true, false],
    })
  })

  test('has a title, a description, and one flat object for its input that is closed', () => {
    for (const tool of tools) {
      expect(tool.title).toMatch(/^[A-Z]/)
      expect(tool.description!.length).toBeGreaterThan(20)
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      for (const union of ['anyOf', 'oneOf', 'allOf', '$ref'])
        expect(tool.inputSchema).not.toHaveProperty(union)
    }
  })

  test('takes the fields of REST and, where it writes, an idempotency key', () => {
    expect(Object.fromEntries(tools.map((t) => [t.name, Object.keys(t.inputSchema['properties'])]))).toEqual({
      check_capability: ['email', 'provider', 'external_id', 'actor'],
      request_action: ['kind', 'actor', 'payload', 'rationale', 'replaces', 'ask', 'idempotency_key'],
      confirm_action: ['id', 'actor', 'digest', 'idempotency_key'],
      cancel_action: ['id', 'actor', 'idempotency_key'],
      get_action: ['id', 'receipt'],
      await_action: ['id', 'timeout_seconds'],
      list_actions: [
        'limit',
        'order',
        'after',
        'kind',
        'exclude_kind',
        'status',
        'member',
        'created_after',
        'created_before',
      ],
      create_checkout: [
        'actor',
        'ask',
        'replaces',
        'amount_cents',
        'currency',
        'description',
        'price',
        'mode',
        'quantity',
        'customer',
        'rationale',
        'idempotency_key',
      ],
      cancel_subscription: [
        'actor',
        'ask',
        'replaces',
        'subscription',
        'at_period_end',
        'rationale',
        'idempotency_key',
      ],
      issue_refund: [
        'actor',
        'ask',
        'replaces',
        'payment',
        'amount_cents',
        'reason',
        'rationale',
        'idempotency_key',
      ],
      send_payout: [
        'actor',
        'ask',
        'replaces',
        'amount_cents',
        'currency',
        'description',
        'rationale',
        'idempotency_key',
      ],
      list_payments: ['actor', 'customer', 'limit', 'after'],
      connect_integration: ['actor', 'provider', 'rationale'],
      list_workspace_files: ['conversation_id', 'email', 'provider', 'external_id', 'after', 'actor'],
      read_workspace_file: ['conversation_id', 'path', 'offset', 'email', 'provider', 'external_id', 'actor'],
      start_preview: ['conversation_id', 'actor'],
      preview_status: ['preview_id', 'actor'],
      stop_preview: ['preview_id', 'actor'],
    })
  })

  test('costs few characters: the list is paid for in every conversation', () => {
    const characters = (some: ListedTool[]) => JSON.stringify(some).length
    expect(characters(tools)).toBeLessThanOrEqual(20_000)
    const ofGate = new Set(gateTools)
    expect(characters(tools.filter(({ name }) => ofGate.has(name)))).toBeLessThanOrEqual(9_000)
  })

  test('has an open output schema, so that a client takes fields that it does not know', () => {
    for (const { outputSchema } of tools) {
      expect(outputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) })
      expect(JSON.stringify(outputSchema)).not.toMatch(/additionalProperties|\$ref|pattern|format/)
    }
  })

  test('is named in a description only if it is in the list', () => {
    const verbs = [...new Set(toolNames.map((name) => name.split('_')[0]))].join('|')
    const named = tools.flatMap(
      ({ description }) => description!.match(RegExp(`\\b(${verbs})_\\w+`, 'g')) ?? [],
    )
    expect(named).toContain('confirm_action')
    const fields = ['connect_url']
    expect(named.filter((name) => !toolNames.includes(name) && !fields.includes(name))).toEqual([])
  })
})

describe('a list', () => {
  test('has 20 rows by default, and of a row only what an agent needs; nothing is cut', async () => {
    const { client, actor } = await gate.openBroadcast()
    const message = `Long. ${'x'.repeat(3_000)}`
    await client.propose(actor, message)
    for (let n = 0; n < 20; n++) await callTool(client, 'check_capability', actor)
    const { body } = await callTool(client, 'list_actions', {})
    const [first, second] = body.actions
    expect([body.actions.length, body.next_after]).toEqual([20, 20])
    expect(first).toMatchObject({ id: 1, kind: 'broadcast', status: 'proposed', member: actor.email })
    expect(first).toMatchObject({ blast_radius: { slack: 2, email: 1, unreachable: 0 } })
    for (const field of [
      'digest',
      'recipients_digest',
      'consent',
      'tier_at_request',
      'requires_confirmation',
    ])
      expect(first).not.toHaveProperty(field)
    expect(second.payload).toEqual({ message })
    expect(body.actions[2]).not.toHaveProperty('blast_radius')
    expect((await client.list()).body.actions).toHaveLength(22)
    expect((await callTool(client, 'get_action', { id: 1 })).body).toEqual((await client.get(1)).body)
  })
})

describe('await_action', () => {
  test('tells each client that it still waits, which keeps the call alive beyond the client’s timeout', async () => {
    const { account, client, actor, id } = await gate.openBroadcast()
    await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
    expect((await client.confirm(id, actor)).status).toBe(202)
    const timeout = 8_000
    const told = mcpClients.map((): ProgressTold[] => [])
    const waits = mcpClients.map(async ([, make], n) => {
      const agent = await connect(make, account.key)
      const answer = await agent.callTool(
        { name: 'await_action', arguments: { id, timeout_seconds: 40 } },
        { onprogress: (one) => told[n]!.push(one), timeout, resetTimeoutOnProgress: true },
      )
      await agent.close()
      return answer as { structuredContent: { status: string } }
    })
    const lasts = () => told.map((ones) => ones.at(-1)?.progress ?? 0)
    await Promise.race([
      until('each was told beyond its timeout', async () => lasts().every((s) => s * 1_000 > timeout)),
      Promise.all(waits),
    ])
    await client.cancel(id, actor)
    for (const { structuredContent } of await Promise.all(waits))
      expect(structuredContent.status).toBe('cancelled')
    for (const ones of told) {
      expect(ones.length).toBeGreaterThan(2)
      expect(ones[0]!.progress).toBeLessThan(1)
      for (const [n, { total, message, progress }] of ones.entries()) {
        expect([total, message]).toEqual([40, `Waiting for ${actor.email} to decide action ${id}`])
        if (n > 0) expect(progress - ones[n - 1]!.progress).toBeGreaterThan(4.9)
      }
    }
  })

  const call = (params: object, accept?: string) =>
    open.client.request('POST', '/api/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      ...(accept === undefined ? {} : { headers: { accept } }),
    })
  const events = 'application/json, text/event-stream'
  const asked = { _meta: { progressToken: 'p' } }
  const waits = { name: 'await_action', arguments: { id: 1, timeout_seconds: 1 } }

  test('is answered as events only to a client that asks for progress and takes them', async () => {
    const types = await Promise.all(
      [
        call({ ...waits, ...asked }, events),
        call(waits, events),
        call({ ...waits, ...asked }, 'application/json'),
        call({ name: 'get_action', arguments: { id: 1 }, ...asked }, events),
      ].map(async (answer) => (await answer).headers.get('content-type')),
    )
    expect(types).toEqual(['text/event-stream', 'application/json', 'application/json', 'application/json'])
  })

  test('refuses among its events as it does in JSON', async () => {
    const none = { name: 'await_action', arguments: { id: 99 } }
    const [streamed, json] = [await call({ ...none, ...asked }, events), await call(none)]
    const told = /^event: message\ndata: (.*)\n\n$/.exec(streamed.body)![1]!
    const plain = (text: string) => text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    expect(plain(told)).toEqual(plain(JSON.stringify(json.body)))
  })
})

describe('a member is named by actor, or by its fields', () => {
  const named = (args: object) => callTool(open.client, 'check_capability', args)

  test('with the same answer', async () => {
    const [fields, actor] = [await named(open.actor), await named({ actor: open.actor })]
    expect([fields.isError, actor.body]).toEqual([false, fields.body])
    const files = await callTool(open.client, 'list_workspace_files', {
      conversation_id: 'none',
      actor: open.actor,
    })
    expect(files.body.error).toMatch(/conversation/i)
  })

  testRows([
    ['both', { email: 'a@example.com', actor: { email: 'a@example.com' } }, /named twice/],
    ['both, in part', { provider: 'email', actor: { email: 'a@example.com' } }, /named twice/],
    ['neither', {}, /Name the member/],
    ['an empty actor', { actor: {} }, /Name the member/],
    ['an actor with an unknown field', { actor: { mail: 'x' } }, /unknown field actor.mail/],
    ['an actor that is no object', { actor: 'a@example.com' }, /actor must be an object/],
  ])('and refused for anything else', async (_what, args, sentence) => {
    expect(await named(args)).toMatchObject({
      isError: true,
      body: { error: expect.stringMatching(sentence) },
    })
  })
})

describe('a refusal is an error result with the sentence of REST', () => {
  testRows([
    ['an unknown row: 404', 'get_action', { id: 99 }, 'Action 99 was not found'],
    ['an unknown member: 404', 'check_capability', { email: 'nobody@example.com' }, 'identity'],
    [
      'another actor: 403',
      'confirm_action',
      { id: 1, actor: { email: 'nobody@example.com' } },
      'Only the member',
    ],
    ['an unknown argument: 422', 'get_action', { id: 1, ids: [2] }, 'unknown field ids'],
    [
      'an unknown argument of the actor: 422',
      'confirm_action',
      { id: 1, actor: { mail: 'x' } },
      'actor.mail',
    ],
    ['a missing argument: 422', 'confirm_action', { id: 1 }, 'actor is required'],
    ['an argument of another type: 422', 'get_action', { id: '1' }, 'id must be'],
    ['an id that no row can have: 422', 'get_action', { id: 0 }, 'id must be'],
    [
      'a kind that cannot be proposed: 422',
      'request_action',
      { kind: 'refund', actor: { email: 'a' }, payload: {} },
      'refund cannot be proposed here; use issue_refund.',
    ],
    [
      'a malformed key: 422',
      'cancel_action',
      { id: 1, actor: { email: 'a' }, idempotency_key: 'a b' },
      'Idempotency-Key',
    ],
    ['a limit above 200: 422', 'list_actions', { limit: 201 }, 'limit'],
  ])('for each tool', async (_what, name, args, said) => {
    const { client } = await gate.openBroadcast()
    const { body } = await rpc(client, 'tools/call', { name, arguments: args })
    expect(body.result).toEqual({ isError: true, content: [{ type: 'text', text: expect.any(String) }] })
    expect(JSON.parse(body.result.content[0].text)).toEqual({
      ...errorBody(expect.any(String) as never, expect.stringContaining(said)),
      param: expect.any(String),
    })
  })

  test('a row that was decided: 409', async () => {
    const { client, actor, id } = await gate.openBroadcast()
    await callTool(client, 'cancel_action', { id, actor })
    expect(await callTool(client, 'confirm_action', { id, actor })).toMatchObject({
      isError: true,
      body: errorBody('already_decided', expect.stringContaining('already cancelled')),
    })
  })
})

test('an idempotency key is the same key over MCP and REST', async () => {
  const { client, actor } = await gate.openBroadcast()
  const key = randomUUID()
  const first = await client.propose(actor, 'Either way.', key)
  const request = { kind: 'broadcast', actor, payload: { message: 'Either way.' } }
  const again = await callTool(client, 'request_action', { ...request, idempotency_key: key })
  const confirmed = await callTool(client, 'confirm_action', {
    id: first.body.id,
    actor,
    idempotency_key: key,
  })
  const repeated = await client.confirm(first.body.id, actor, { key })
  expect(again.body).toEqual(first.body)
  expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(repeated.body).toEqual(confirmed.body)
})

describe('the protocol', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    open.client.request('POST', '/api/mcp', { body, headers })

  test('initialize says who serves, that there are tools, and how to use them', async () => {
    const { body } = await rpc(open.client, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    expect(body.result).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'qualification-gate', version: productVersion },
      instructions: expect.stringContaining('explicit yes'),
    })
  })

  test('is stateless: no session is made, and a call needs no initialize before it', async () => {
    const { headers, body } = await post(list)
    expect(headers.get('mcp-session-id')).toBeNull()
    expect(body.result.tools).toHaveLength(toolNames.length)
  })

  test('an unknown tool or arguments of another form are -32602, an unknown method -32601', async () => {
    const answers = [
      await rpc(open.client, 'tools/call', { name: 'no_such_tool', arguments: {} }),
      await rpc(open.client, 'tools/call', { name: 'constructor', arguments: {} }),
      await rpc(open.client, 'resources/list'),
      await rpc(open.client, 'tools/call', { name: 'get_action', arguments: [1] }),
    ]
    expect(answers[3]!.body.error.message).toMatch(/its arguments in params\.arguments, as an object\.$/)
    expect(answers.map((a) => [a.body.error.code, a.body.id, a.body.error.data])).toEqual([
      [-32_602, 1, dataOf('invalid')],
      [-32_602, 1, dataOf('invalid')],
      [-32_601, 1, dataOf('not_found')],
      [-32_602, 1, dataOf('invalid')],
    ])
    expect(answers[0]!.body.error.data.request_id).toBe(answers[0]!.headers.get('x-request-id'))
  })

  test('an unsupported protocol version is 400, in the words that clients negotiate by', async () => {
    const answer = await post(list, { 'mcp-protocol-version': '2099-01-01' })
    expect([answer.status, answer.body.error]).toEqual([
      400,
      {
        code: -32_000,
        message: expect.stringMatching(/Unsupported protocol version: 2099-01-01 \(supported versions: /),
        data: dataOf('malformed'),
      },
    ])
  })

  test.each(['{', '', '{"jsonrpc":"2.0",}'])('malformed JSON %j is 400 and -32700', async (body) => {
    const answer = await post(body)
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_700, message: expect.any(String), data: dataOf('malformed') },
      },
    ])
  })

  const request = (more: string) => `{"jsonrpc":"2.0","id":7,"method":"tools/call",${more}}`
  const called = (more: string) => request(`"params":{"name":"get_action",${more}}`)
  testRows<[body: string, code: number, id: number | string | null, says: RegExp]>([
    ['null', -32_600, null, /^The body must be one JSON-RPC/],
    ['5', -32_600, null, /^The body must be one JSON-RPC/],
    ['"x"', -32_600, null, /^The body must be one JSON-RPC/],
    ['{}', -32_600, null, /^The body must be one JSON-RPC/],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32_600, 1, /^The body must be one JSON-RPC/],
    ['{"jsonrpc":"2.0","id":"one","method":5}', -32_600, 'one', /^The body must be one JSON-RPC/],
    ['{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', -32_600, null, /^The body must be one JSON-RPC/],
    ['{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32_600, null, /^The body must be one JSON-RPC/],
    ['{"jsonrpc":"2.0","id":7,"method":"tools/list","params":null}', -32_602, 7, /^params must be an object/],
    ['{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}', -32_602, 'a', /^params must be an object/],
    ['{"jsonrpc":"2.0","id":7,"method":"tools/list","params":"{}"}', -32_602, 7, /^params must be an object/],
    [request('"params":null'), -32_602, 7, /^params must be an object/],
    [called('"arguments":{"id":1},"_meta":null'), -32_602, 7, /params\._meta too/],
    [called('"arguments":{"id":1},"_meta":[]'), -32_602, 7, /params\._meta too/],
    [called('"arguments":null'), -32_602, 7, /its arguments in params\.arguments, as an object/],
    [called('"arguments":[]'), -32_602, 7, /its arguments in params\.arguments, as an object/],
    [called('"arguments":"{\\"id\\":1}"'), -32_602, 7, /its arguments in params\.arguments, as an object/],
    [request('"params":{"name":5}'), -32_602, 7, /its name in params\.name, as text/],
    [request('"params":{"arguments":{}}'), -32_602, 7, /its name in params\.name, as text/],
    [
      called('"arguments":{"id":1,"__proto__":{"admin":true}}'),
      -32_602,
      7,
      /^The body has the name __proto__/,
    ],
    [called('"arguments":{"id":1,"__proto__":null}'), -32_602, 7, /^The body has the name __proto__/],
    [called('"arguments":{"constructor":{"prototype":{}}}'), -32_602, 7, /^The body has the name __proto__/],
    [called('"__proto__":{"arguments":{"id":1}}'), -32_602, 7, /^The body has the name __proto__/],
    [
      '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}',
      -32_602,
      7,
      /^Missing, or not in the form/,
    ],
  ])(
    'JSON of another form is a protocol error with the id of its request, in words of the gate',
    async (body, code, id, says) => {
      const answer = await post(body)
      expect(answer.body).toEqual({
        jsonrpc: '2.0',
        id,
        error: {
          code,
          message: expect.stringMatching(says),
          data: dataOf(code === -32_602 ? 'invalid' : 'malformed'),
        },
      })
      expect(answer.body.error.message).not.toMatch(/expected|received|Invalid input/)
    },
  )

  test('a batch is refused whole: 400 and -32600, and nothing in it is done', async () => {
    const { client, actor, id } = await gate.openBroadcast()
    const confirm = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'confirm_action', arguments: { id, actor } },
    }
    const answer = await client.request('POST', '/api/mcp', { body: [confirm, { ...confirm, id: 2 }] })
    expect([answer.status, answer.body.error.code]).toEqual([400, -32_600])
    expect((await client.get(id)).body.status).toBe('proposed')
  })

  test('a notification is accepted without an answer', async () => {
    const answer = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([answer.status, answer.body]).toEqual([202, ''])
  })

  testRows([
    '*/*',
    'application/json',
    'text/event-stream',
    'application/json, text/event-stream',
    'text/html',
  ])('any Accept is answered in JSON', async (accept) => {
    const answer = await post(list, { accept })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ])
  })

  test.each(['https://evil.example', 'http://localhost', 'null', 'https://gate.example.evil.example'])(
    'a page of origin %s is refused: 403',
    async (origin) => {
      const answer = await post(list, { origin })
      expect([answer.status, answer.body]).toEqual([403, errorBody('forbidden')])
    },
  )

  test('a page of our own origin is served', async () => {
    expect((await post(list, { origin: own })).status).toBe(200)
  })

  test.each(['GET', 'DELETE'])('%s is 405 for a caller with a key, and 401 before that', async (method) => {
    const [known, unknown] = [
      await open.client.request(method, '/api/mcp'),
      await apiClient(gate.api.url, 'none').request(method, '/api/mcp'),
    ]
    expect([known.status, known.headers.get('allow'), unknown.status]).toEqual([405, 'POST', 401])
  })

  test('an unknown protocol version in the header is refused', async () => {
    expect((await post(list, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
  })
})

describe('TOOLS', () => {
  const started: { deps: Deps; api: RunningApi }[] = []
  afterAll(async () => {
    for (const { api, deps } of started) {
      await api.stop()
      await deps.close()
    }
  })

  async function served(...groups: ToolGroup[]) {
    const deps = makeDeps(
      { ...gate.config, TOOLS: groups },
      { sandboxUrl: gate.sandbox.url, log: gate.deps.log },
    )
    const api = await startApi(deps)
    started.push({ deps, api })
    return apiClient(api.url, open.account.key)
  }

  test('of one group alone lists its tools alone', async () => {
    const listed = await rpc(await served('workspace'), 'tools/list')
    const names = listed.body.result.tools.map((tool: ListedTool) => tool.name)
    expect(names).toEqual(['list_workspace_files', 'read_workspace_file'])
  })

  test('without `gate` hides its tools, and they cannot be called; REST stays', async () => {
    const client = await served('preview')
    const listed = await rpc(client, 'tools/list')
    const called = await rpc(client, 'tools/call', { name: 'list_actions', arguments: {} })
    const names = listed.body.result.tools.map((tool: ListedTool) => tool.name)
    expect(names).toEqual(['start_preview', 'preview_status', 'stop_preview'])
    expect(called.body.error.code).toBe(-32_602)
    expect((await client.list()).status).toBe(200)
  })
})

describe('a call that needs nothing else of the protocol is answered directly:', () => {
  // A field that only the SDK reads has it answer.
  const bySdk = { _meta: { 'example.com/trace': 'x' } }
  const answerTo = async (params: object) =>
    JSON.stringify((await rpc(open.client, 'tools/call', params)).body).replaceAll(
      /[0-9a-f-]{36}/g,
      '<request id>',
    )

  testRows([
    ['an answer', { name: 'get_action', arguments: { id: 1 } }],
    ['a list', { name: 'list_actions', arguments: {} }],
    ['a refusal', { name: 'get_action', arguments: { id: 99_999 } }],
    ['invalid arguments', { name: 'get_action', arguments: { id: 'x' } }],
    ['no arguments', { name: 'get_action' }],
  ])('with the bytes that the SDK sends', async (_what, params) => {
    const direct = await answerTo(params)
    expect(direct).toContain('"jsonrpc":"2.0","id":1')
    expect(direct).toBe(await answerTo({ ...params, ...bySdk }))
  })

  test('a key that was revoked since its last call gets 401, whatever it calls and however wrongly', async () => {
    const { key, keyId } = await open.account.mintKey()
    const client = apiClient(gate.api.url, key)
    const call = async (name: string, args: object) =>
      (await rpc(client, 'tools/call', { name, arguments: args })).status
    const calls = () =>
      Promise.all([
        call('check_capability', { actor: open.actor }),
        call('list_actions', {}),
        call('list_actions', { limit: 0 }),
        call('get_action', { id: open.id }),
        call('no_such_tool', {}),
        rpc(client, 'tools/list').then(({ status }) => status),
        rpc(client, 'no/such/method').then(({ status }) => status),
      ])
    expect(new Set(await calls())).toEqual(new Set([200]))
    await open.account.revokeKey(keyId)
    expect(new Set(await calls())).toEqual(new Set([401]))
  })
})

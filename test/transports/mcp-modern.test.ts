import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { productVersion } from '../../src/process/version.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { modernMessage, modernRpc, rpc } from '../support/mcp-tool.ts'
import { testRows } from '../support/rows.ts'
import { type StandIn, addTool, addUpstream, startStandIn } from '../support/tools-behind-gate.ts'

// The revision 2026-07-28 on the wire. test/transports/mcp.test.ts has the official clients.

const revision = '2026-07-28'
const serverInfo = {
  'io.modelcontextprotocol/serverInfo': { name: 'qualification-gate', version: productVersion },
}

let gate: TestGate
let open: OpenBroadcast
let client: ApiClient
beforeAll(async () => {
  gate = await startGate({ workers: false })
  open = await gate.openBroadcast()
  client = open.client
}, 60_000)
afterAll(() => gate.stop())

type Message = Parameters<typeof modernMessage>
const call = (name: string, args?: unknown, more?: Message[2]): Message => [
  'tools/call',
  { name, ...(args === undefined ? {} : { arguments: args }) },
  more,
]

describe('an answer', () => {
  test('to server/discover names the revision, the gate, and how to use its tools', async () => {
    const { status, headers, body } = await modernRpc(client, 'server/discover')
    const asked = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        ttlMs: 300_000,
        cacheScope: 'private',
        supportedVersions: [revision],
        capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
        instructions: (await rpc(client, 'initialize', asked)).body.result.instructions,
        _meta: serverInfo,
      },
    })
  })

  test('to tools/list has the tools of the older revisions, in the same order each time', async () => {
    const lists = [await modernRpc(client, 'tools/list'), await modernRpc(client, 'tools/list')]
    const { tools } = (await rpc(client, 'tools/list')).body.result
    for (const { body } of lists) {
      const { tools: listed, ...rest } = body.result
      expect(rest).toEqual({
        resultType: 'complete',
        ttlMs: 300_000,
        cacheScope: 'private',
        _meta: serverInfo,
      })
      expect(JSON.stringify(listed)).toBe(JSON.stringify(tools))
    }
  })

  testRows([
    ['an answer', 'get_action', { id: 1 }],
    ['a list', 'list_actions', {}],
    ['no arguments', 'list_actions', undefined],
    ['a refusal', 'get_action', { id: 99 }],
    ['an unknown argument', 'get_action', { id: 1, ids: [1] }],
  ])(
    'to tools/call has the result of the older revisions, and says that it is complete',
    async (_what, name, args) => {
      const { status, body } = await modernRpc(client, ...call(name, args))
      const older = (await rpc(client, 'tools/call', { name, arguments: args })).body.result
      const { resultType, _meta, ...result } = body.result
      const plain = (value: object) =>
        JSON.stringify(value).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')
      expect([status, resultType, _meta]).toEqual([200, 'complete', serverInfo])
      expect(plain(result)).toBe(plain(older))
    },
  )

  test('repeats an id of text', async () => {
    expect((await modernRpc(client, 'tools/list', {}, { id: 'one' })).body.id).toBe('one')
  })

  test('to a notification is 202 without a body', async () => {
    const { body, headers } = modernMessage('notifications/cancelled', { requestId: 1 })
    const { id: _id, ...notification } = body as { id: unknown }
    const answer = await client.request('POST', '/api/mcp', { body: notification, headers })
    expect([answer.status, answer.body]).toEqual([202, ''])
  })

  test('makes no session, and is kept by nobody on its way', async () => {
    const { headers } = await modernRpc(client, 'tools/list')
    expect([headers.get('mcp-session-id'), headers.get('cache-control')]).toEqual([null, 'no-store'])
  })
})

const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'
const of = (meta: object, header?: string): Message => [
  'tools/list',
  {},
  { meta, ...(header === undefined ? {} : { headers: { 'mcp-protocol-version': header } }) },
]
const list = (headers: Record<string, string | undefined>): Message => ['tools/list', {}, { headers }]
const named = (header: string | undefined, name: unknown = 'get_action'): Message => [
  'tools/call',
  { name, arguments: { id: 1 } },
  { headers: { 'mcp-name': header } },
]
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

type Refused = [what: string, message: Message, status: number, code: number, message_: RegExp, data?: object]
const refused: Refused[] = [
  ['a method that nobody knows', ['resources/list', {}], 404, -32_601, /resources\/list/],
  ['a method of every object', ['constructor', {}], 404, -32_601, /constructor/],
  ['a method of older revisions', ['ping', {}], 404, -32_601, /ping/],
  ['initialize', ['initialize', { protocolVersion: revision }], 404, -32_601, /initialize/],
  ['an unknown tool', call('no_such_tool', {}), 200, -32_602, /Unknown tool no_such_tool/],
  ['a tool of every object', call('constructor', {}), 200, -32_602, /Unknown tool constructor/],
  ['a call without a name', ['tools/call', {}], 200, -32_602, /params\.name/],
  ['a call whose name is no text', ['tools/call', { name: 5 }], 200, -32_602, /params\.name/],
  ['arguments that are a list', call('get_action', [1]), 200, -32_602, /params\.arguments/],
  ['arguments that are null', call('get_action', null), 200, -32_602, /params\.arguments/],
  ['no capabilities', of({ [capabilities]: undefined }), 400, -32_602, /clientCapabilities/],
  ['capabilities that are text', of({ [capabilities]: 'all' }), 400, -32_602, /form/],
  ['a version that is a number', of({ [version]: 1 }), 400, -32_602, /form/],
  ['no version in the body', of({ [version]: undefined }), 400, -32_602, /protocolVersion/],
  ...['2099-01-01', '2026-07-27', '2025-11-25', ''].map((other): Refused => [
    `the version "${other}"`,
    of({ [version]: other }, other === '' ? undefined : other),
    400,
    other === '' ? -32_020 : -32_022,
    /version/,
    other === '' ? {} : { supported: [revision], requested: other },
  ]),
  ['another version in the header', of({}, '2025-11-25'), 400, -32_020, /disagree/],
  [
    'no version in the header',
    list({ 'mcp-protocol-version': undefined }),
    400,
    -32_020,
    /MCP-Protocol-Version/,
  ],
  ['no method in the header', list({ 'mcp-method': undefined }), 400, -32_020, /Mcp-Method/],
  ['another method in the header', list({ 'mcp-method': 'tools/call' }), 400, -32_020, /Mcp-Method/],
  ['the method in another case', list({ 'mcp-method': 'Tools/List' }), 400, -32_020, /Mcp-Method/],
  ['no name in the header', named(undefined), 400, -32_020, /Mcp-Name/],
  ['another name in the header', named('list_actions'), 400, -32_020, /Mcp-Name/],
  ['two names in the header', named('get_action, get_action'), 400, -32_020, /Mcp-Name/],
  ['another name in the header, encoded', named(encoded('list_actions')), 400, -32_020, /Mcp-Name/],
  ['a name that is not encoded as it says', named('=?base64?%%%?='), 400, -32_020, /Base64/],
  ['a name whose bytes are no text', named('=?base64?/w==?='), 400, -32_020, /Base64/],
]

testRows(refused)(
  'a request is refused by what is wrong with it, with its id',
  async (_what, message, status, code, words, data = {}) => {
    const answer = await modernRpc(client, ...message)
    expect([answer.status, answer.body]).toEqual([
      status,
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code,
          message: expect.stringMatching(words),
          data: { code: expect.any(String), request_id: answer.headers.get('x-request-id'), ...data },
        },
      },
    ])
    // Words of a validator say nothing to a person.
    expect(answer.body.error.message).not.toMatch(/expected|received|invalid input/i)
  },
)

testRows([
  ['params that are null', '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":null}', 7],
  ['params that are a list', '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}', 7],
  ['metadata that is null', '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":null}}', 7],
  ['no metadata', '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}', 7],
  ['no params', '{"jsonrpc":"2.0","id":7,"method":"tools/list"}', 7],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"tools/list"}', null],
  ['a response', '{"jsonrpc":"2.0","id":7,"result":{}}', 7],
  ['an object', '{}', null],
  ['text', '"x"', null],
  [
    'a name that stands twice',
    JSON.stringify(modernMessage('tools/list').body)
      .replace('"id":1', '"id":7')
      .replace('"params":{', '"params":{"a":1,"a":2,'),
    7,
  ],
])(
  'a body in another form, under the header of the revision, is 400 with the id that it has',
  async (_what, body, id) => {
    const { headers } = modernMessage('tools/list')
    const answer = await client.request('POST', '/api/mcp', { body, headers })
    expect([answer.status, answer.body.id]).toEqual([400, id])
    expect([-32_600, -32_602]).toContain(answer.body.error.code)
  },
)

test('a batch that has a request of the revision is refused whole', async () => {
  const { body, headers } = modernMessage('tools/list')
  const answer = await client.request('POST', '/api/mcp', { body: [body], headers })
  expect([answer.status, answer.body.error.code]).toEqual([400, -32_600])
})

testRows([
  ['as it is', 'get_action'],
  ['encoded', encoded('get_action')],
])('a name in the header is read', async (_what, header) => {
  expect((await modernRpc(client, ...named(header))).body.result.structuredContent.id).toBe(1)
})

test('a key that was revoked since its last call gets 401, whatever it sends and however wrongly', async () => {
  const { key, keyId } = await open.account.mintKey()
  const its = apiClient(gate.api.url, key)
  const messages: Message[] = [
    ['server/discover'],
    ['tools/list'],
    call('get_action', { id: open.id }),
    call('list_actions', { limit: 0 }),
    call('no_such_tool', {}),
    call('no__such_tool', {}),
    ...refused.map(([, message]) => message),
  ]
  const statuses = async () =>
    Promise.all(messages.map(async (message) => (await modernRpc(its, ...message)).status))
  expect(await statuses()).not.toContain(401)
  await open.account.revokeKey(keyId)
  expect(new Set(await statuses())).toEqual(new Set([401]))
})

describe('a call that reports progress', () => {
  const waits = (args: object, accept = 'application/json, text/event-stream'): Message =>
    call('await_action', args, { meta: { progressToken: 'p' }, headers: { accept } })

  test('is a stream: how far it is, then the result of JSON', async () => {
    const answer = await modernRpc(client, ...waits({ id: open.id, timeout_seconds: 1 }))
    const told = answer.body.split('\n\n').filter(Boolean)
    const messages = told.map((event: string) => JSON.parse(/^event: message\ndata: (.*)$/.exec(event)![1]!))
    const last = messages.pop()
    expect(['content-type', 'x-accel-buffering'].map((name) => answer.headers.get(name))).toEqual([
      'text/event-stream',
      'no',
    ])
    expect(messages[0]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: expect.any(Number), total: 1, message: expect.any(String) },
    })
    const json = await modernRpc(client, ...call('await_action', { id: open.id, timeout_seconds: 1 }))
    expect(last).toEqual(json.body)
  })

  test('is JSON for a client that takes no events', async () => {
    const answer = await modernRpc(client, ...waits({ id: open.id, timeout_seconds: 1 }, 'application/json'))
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  test('refuses in its stream', async () => {
    const answer = await modernRpc(client, ...waits({ id: 99 }))
    expect(answer.body).toMatch(/^event: message\ndata: \{"result":\{.*"isError":true.*\}\n\n$/)
  })
})

describe('a server behind the gate', () => {
  let standIn: StandIn
  beforeAll(async () => {
    standIn = await startStandIn()
    await addUpstream(gate.database, open.account, { name: 'github', url: standIn.url })
    const of = (schema: object) => ({ type: 'object', properties: { region: schema } }) as never
    const rule = { rule: 'allow' } as const
    const header = { 'x-mcp-header': 'Region' }
    await addTool(gate.database, open.account, 'github', {
      name: 'right',
      rule,
      inputSchema: of({ type: 'string', ...header, default: header, description: 'x-mcp-header' }),
    })
    await addTool(gate.database, open.account, 'github', {
      name: 'wrong',
      rule,
      inputSchema: of({ type: 'object', properties: { 'x-mcp-header': { type: 'number', ...header } } }),
    })
  })
  afterAll(() => standIn.stop())

  test('cannot have clients repeat arguments in headers', async () => {
    const { tools } = (await modernRpc(client, 'tools/list')).body.result
    const schemas = Object.fromEntries(
      tools.map((tool: any) => [tool.name, tool.inputSchema.properties.region]),
    )
    expect(schemas['github__right']).toEqual({
      type: 'string',
      default: { 'x-mcp-header': 'Region' },
      description: 'x-mcp-header',
    })
    expect(schemas['github__wrong']).toEqual({
      type: 'object',
      properties: { 'x-mcp-header': { type: 'number' } },
    })
  })

  test('cannot ask the member through the client, nor speak as the gate', async () => {
    standIn.answerBy(() => ({
      resultType: 'input_required',
      inputRequests: { pin: { method: 'elicitation/create', params: { message: 'Your PIN?' } } },
      requestState: 'x',
      content: [{ type: 'text', text: 'hello' }],
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'other', version: '1' } },
    }))
    const { body } = await modernRpc(client, ...call('github__right', { actor: open.actor }))
    expect(body.result).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: 'hello' }],
      _meta: serverInfo,
    })
    expect(JSON.stringify(body)).not.toMatch(/inputRequests|requestState/)
  })
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { errorBody } from '../support/error-body.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let runner: string
let client: Awaited<ReturnType<TestGate['account']>>['client']
beforeAll(async () => {
  gate = await startGate({ workers: false })
  const account = await gate.account()
  const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'write' })
  client = account.client
  runner = (await account.mintKey({ powers: ['runner'], actors: [ada] })).key
}, 60_000)
afterAll(() => gate.stop())

/** Sends bytes: a text would be encoded as UTF-8. */
const send = async (path: string, body: Buffer, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${gate.api.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json', ...headers },
    body: new Uint8Array(body),
  })
  return { status: answer.status, body: (await answer.json()) as any }
}

const proposal = (message: Buffer) =>
  Buffer.concat([
    Buffer.from('{"kind":"broadcast","actor":{"email":"ada@example.com"},"payload":{"message":"'),
    message,
    Buffer.from('"}}'),
  ])

test.each([
  ['no byte of UTF-8', [0xff]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['half of a character', [0xed, 0xa0, 0x80]],
  ['a character that is cut', [0xe2, 0x82]],
])('%s is refused, because it would be consented to as another text', async (_what, bytes) => {
  const { status, body } = await send('/api/v1/actions', proposal(Buffer.from(bytes)))
  expect([status, body]).toEqual([400, errorBody('malformed', 'The body must be UTF-8.')])
  const call = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'),
    Buffer.from(bytes),
    Buffer.from('"}}'),
  ])
  expect(await send('/api/mcp', call)).toMatchObject({ status: 400, body: { error: { code: -32_700 } } })
})

test('UTF-8 of every length is taken as it is', async () => {
  const { status, body } = await send('/api/v1/actions', proposal(Buffer.from('aé€😀\ufffd')))
  expect([status, body.payload]).toEqual([201, { message: 'aé€😀\ufffd' }])
})

const proposed = async () => (await client.request('GET', '/api/v1/actions')).body.actions.length

const tool = (args: string) =>
  Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"propose_broadcast","arguments":${args}}}`,
  )

testRows([
  [
    '"payload":{"message":"a","n":12345678901234567890}',
    'payload.n',
    /beyond 9007199254740991.*: send it as text\.$/,
  ],
  ['"payload":{"message":"a","n":[0,1e-400]}', 'payload.n.1', /rounded when it is read: write 0\.$/],
  ['"payload":{"message":"a","n":0.30000000000000000001}', 'payload.n', /write 0\.3\.$/],
  ['"actor":{"email":"bob@example.com"},"payload":{"message":"a"}', 'actor', /stands twice/],
  ['"payload":{"message":"a","message":"b"}', 'payload.message', /stands twice/],
  ['"payload":{"message":"a"},"pay\\u006coad":{"message":"b"}', 'payload', /stands twice/],
] as [string, string, RegExp][])(
  'a body that readers of JSON read otherwise is refused, over REST and MCP, and nothing is proposed',
  async (fields, param, says) => {
    const before = await proposed()
    const whole = `{"kind":"broadcast","actor":{"email":"ada@example.com"},${fields}}`
    const { status, body } = await send('/api/v1/actions', Buffer.from(whole))
    expect([status, body]).toEqual([422, { ...errorBody('invalid', expect.stringMatching(says)), param }])
    const called = await send('/api/mcp', tool(whole))
    expect(called).toMatchObject({ status: 200, body: { id: 1, result: { isError: true } } })
    expect(JSON.parse(called.body.result.content[0].text)).toMatchObject({ code: 'invalid', param })
    expect(await proposed()).toBe(before)
  },
)

testRows([
  ['"tool_input":{"n":[12345678901234567890]}', 'tool_input.n.0: the number 12345678901234567890 is beyond'],
  [
    '"tool_input":{"command":"ls"},"tool_input":{"command":"rm -rf /"}',
    'tool_input: the name \\"tool_input\\" stands',
  ],
])(
  'a tool call of a runner that readers of JSON read otherwise is denied with the reason',
  async (input, why) => {
    const hook = '"session_id":"s","cwd":"/work","hook_event_name":"PreToolUse","tool_name":"mcp__a__b"'
    const { status, body } = await send(
      '/api/v1/runner/tool-calls?runner=claude',
      Buffer.from(`{${hook},${input}}`),
      {
        authorization: `Bearer ${runner}`,
      },
    )
    expect([status, body.hookSpecificOutput.permissionDecision]).toEqual([200, 'deny'])
    expect(JSON.stringify(body.hookSpecificOutput.permissionDecisionReason)).toContain(why)
  },
)

testRows([
  '"tool_input":{"command":"ls","__proto__":{"command":"rm -rf /"}}',
  '"tool_input":{"command":"ls"},"__proto__":{"a":1}',
  '"tool_input":{"constructor":{"prototype":{"command":"ls"}}}',
])(
  'a body with a name that would change what an object is reaches no rule and no approval',
  async (input) => {
    const hook = '"session_id":"s","cwd":"/work","hook_event_name":"PreToolUse","tool_name":"Bash"'
    const authorization = { authorization: `Bearer ${runner}` }
    const asked = await send(
      '/api/v1/runner/tool-calls?runner=claude',
      Buffer.from(`{${hook},${input}}`),
      authorization,
    )
    expect([asked.status, asked.body.code]).toEqual([400, 'malformed'])
    const whole = `{"kind":"broadcast","actor":{"email":"ada@example.com"},"payload":{"message":"a"},${input}}`
    const proposedBody = await send('/api/v1/actions', Buffer.from(whole))
    expect([proposedBody.status, proposedBody.body.code]).toEqual([400, 'malformed'])
  },
)

test('a message over MCP with two methods is refused as a message', async () => {
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}')
  expect(await send('/api/mcp', body)).toMatchObject({
    status: 400,
    body: { error: { code: -32_602, message: expect.stringMatching(/^method: .*stands twice/) } },
  })
})

test('a body that claims to be compressed is 415, and not read as if it were plain', async () => {
  const { status, body } = await send('/api/v1/actions', proposal(Buffer.from('a')), {
    'content-encoding': 'gzip',
  })
  expect([status, body]).toEqual([
    415,
    errorBody('unsupported_media', 'Send the body without Content-Encoding.'),
  ])
})

test('a call over MCP that asks for a task is a mistake of the caller, not of the service', async () => {
  const params = { name: 'get_action', arguments: { id: 1 }, task: { ttl: 1 } }
  const { status, body } = await send(
    '/api/mcp',
    Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })),
  )
  expect([status, body.error]).toMatchObject([200, { code: -32_602, data: { code: 'invalid' } }])
})

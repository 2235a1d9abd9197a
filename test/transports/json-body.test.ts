import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { errorBody } from '../support/error-body.ts'
import { type TestGate, startGate } from '../support/gate.ts'

let gate: TestGate
let client: Awaited<ReturnType<TestGate['account']>>['client']
beforeAll(async () => {
  gate = await startGate({ workers: false })
  const account = await gate.account()
  await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'write' })
  client = account.client
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

import { expect, test } from '@jest/globals'
import { modernMessage as read } from '../../src/transports/mcp/modern-message.ts'
import { modernMessage } from '../support/mcp-tool.ts'

const plain = modernMessage('tools/call', { name: 'get_action', arguments: { id: 1 } }) as {
  body: { id: number; params: Record<string, unknown> }
  headers: Record<string, string>
}
type Sent = Parameters<typeof read>[0]
const meta = plain.body.params['_meta'] as Record<string, unknown>

/** The same call with something else in its message, its parameters, its metadata or its headers. */
const changed = ({ body = {}, params = {}, metadata = {}, headers = {} }): Sent => ({
  body: {
    ...plain.body,
    params: { ...plain.body.params, ...params, _meta: { ...meta, ...metadata } },
    ...body,
  },
  headers: { ...plain.headers, ...headers },
})

const odd: Sent[] = [
  ...[null, 1.5, '', 2 ** 53, {}, true].map((id) => changed({ body: { id } })),
  ...['1.0', undefined].map((jsonrpc) => changed({ body: { jsonrpc } })),
  ...[{ result: {} }, { error: { code: 1, message: 'x' } }, { more: 1 }].map((body) => changed({ body })),
  ...[[], null, {}].map((params) => changed({ body: { params } })),
  ...['tools/list', 'initialize', 1].map((method) => changed({ body: { method } })),
  ...['cancel_action', 1, undefined].map((name) => changed({ params: { name } })),
  ...[{}, null, 1.5, 'token', 7].map((progressToken) => changed({ metadata: { progressToken } })),
  changed({ metadata: { 'io.modelcontextprotocol/clientCapabilities': 1 } }),
  changed({ metadata: { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } }),
  changed({ metadata: { 'io.modelcontextprotocol/clientInfo': { name: 1 } } }),
  ...['2025-11-25', undefined].map((version) => changed({ headers: { 'mcp-protocol-version': version } })),
  ...['tools/list', undefined].map((method) => changed({ headers: { 'mcp-method': method } })),
  ...['cancel_action', '=?base64?Z2V0X2FjdGlvbg==?=', '=?base64?!?=', undefined].map((name) =>
    changed({ headers: { 'mcp-name': name } }),
  ),
  {
    ...changed({ params: { name: '=?base64?eA==?=' } }),
    headers: { ...plain.headers, 'mcp-name': '=?base64?eA==?=' },
  },
  { headers: plain.headers, body: [plain.body] },
  { headers: plain.headers, body: null },
]

/** The same in an envelope of its own, which no earlier message had. */
function inOwnEnvelope({ body, headers }: Sent, n: number): Sent {
  const { params, ...more } = (body ?? {}) as { params?: { _meta?: object } }
  if (!params?._meta) return { body, headers }
  return { body: { ...more, params: { ...params, _meta: { ...params._meta, 'example.com/n': n } } }, headers }
}

/** What is read of a message, without its envelope. */
function readOf(sent: Sent): unknown {
  const message = read(sent)
  if (!message || !('method' in message)) return message
  const { _meta, ...params } = message.params
  return { ...message, params }
}

test('a message is read alike, whether its envelope is known from an earlier call or not', () => {
  const first = odd.map((sent, n) => readOf(inOwnEnvelope(sent, n)))
  const { _meta, ...params } = plain.body.params
  const call = { id: plain.body.id, method: 'tools/call', params }
  expect([readOf(plain), readOf(plain)]).toEqual([call, call])
  expect(odd.map(readOf)).toEqual(first)
  expect(first.filter((message) => 'refusal' in ((message ?? {}) as object)).length).toBeGreaterThan(20)
})

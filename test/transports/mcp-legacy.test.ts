import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { productVersion } from '../../src/process/version.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { expectReviewed } from '../support/reviewed.ts'

// What clients of the revisions with `initialize` get, to the byte: the file was written before there was another revision.

let gate: TestGate
let open: OpenBroadcast
beforeAll(async () => {
  gate = await startGate({ workers: false })
  open = await gate.openBroadcast()
}, 60_000)
afterAll(() => gate.stop())

type Sent = [what: string, body: unknown, headers?: Record<string, string>]

const message = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  method,
  ...(params === undefined ? {} : { params }),
})
const initialize = (protocolVersion: string) =>
  message('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } })
const call = (name: string, args: unknown, more: object = {}) =>
  message('tools/call', { name, arguments: args, ...more })
const version = (header: string) => ({ 'mcp-protocol-version': header })
const read = { id: 1 }

const messages: Sent[] = [
  ...['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2099-01-01', 'x'].map(
    (asked): Sent => [`initialize, asking for ${asked}`, initialize(asked)],
  ),
  ['initialize, with a header', initialize('2025-11-25'), version('2025-11-25')],
  ['initialize, with an unknown version in the header', initialize('2025-11-25'), version('2099-01-01')],
  ['initialize without params', message('initialize')],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, version('2025-11-25')],
  ['a notification that nobody knows', { jsonrpc: '2.0', method: 'notifications/none' }],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
  ['ping', message('ping'), version('2025-06-18')],
  ['ping with an id of text', message('ping', {}, 'one')],
  ['the list', message('tools/list'), version('2025-11-25')],
  ['the list, of no version', message('tools/list', {})],
  ['the list with a cursor', message('tools/list', { cursor: 'x' })],
  ['server/discover without an envelope', message('server/discover', {})],
  ['a method that nobody knows', message('resources/list', {}), version('2025-06-18')],
  ['tasks/get', message('tasks/get', { taskId: 'x' })],
  ['a call', call('get_action', read), version('2025-11-25')],
  ['a call, of no version', call('get_action', read)],
  ['a call with metadata of a trace', call('get_action', read, { _meta: { 'example.com/trace': 'x' } })],
  [
    'a call with metadata of its client',
    call('get_action', read, {
      _meta: {
        'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
  ],
  ['a call with the headers of another revision', call('get_action', read), { 'mcp-method': 'tools/list' }],
  ['a call as a task', call('get_action', read, { task: { ttl: 1_000 } })],
  ['a call that is refused', call('get_action', { id: 99 })],
  ['a call with arguments of another form', call('get_action', [1])],
  ['a call with an unknown argument', call('get_action', { id: 1, ids: [] })],
  ['a call of an unknown tool', call('no_such_tool', {})],
  ['a call without a name', message('tools/call', {})],
  ['a call of a version that nobody knows', call('get_action', read), version('2099-01-01')],
  ['a call of a version that is no date', call('get_action', read), version('garbage')],
  ['a call of an old version that nobody knows', call('get_action', read), version('1999-01-01')],
  ['a batch', [message('ping'), message('ping', {}, 2)]],
  ['an empty batch', []],
  ['an object that is no message', {}],
  ['a number', '5'],
  ['a message of another JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }],
  ['text that is no JSON', '{'],
  [
    'a list whose number is not exact',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":1,"a":2}}',
  ],
  [
    'a call whose number is not exact',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_action","arguments":{"id":9007199254740993}}}',
  ],
  [
    'a call that waits as a stream',
    call('await_action', { id: 99 }, { _meta: { progressToken: 1 } }),
    { accept: 'application/json, text/event-stream' },
  ],
]

async function answerTo([what, body, headers = {}]: Sent): Promise<string> {
  const answer = await fetch(`${gate.api.url}/api/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: '*/*',
      authorization: `Bearer ${open.client.key}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const kept = ['content-type', 'cache-control', 'x-content-type-options', 'x-accel-buffering']
    .filter((name) => answer.headers.has(name))
    .map((name) => `${name}: ${answer.headers.get(name)}`)
  return [`# ${what}`, answer.status, ...kept, plain(await answer.text()), ''].join('\n')
}

/** Without what differs at each run, and what other files hold: the tools and the instructions. */
const plain = (text: string): string =>
  text
    .replace(/"tools":\[\{.*\}\]/, '"tools":[…]')
    .replace(/"instructions":"[^"]*"/, '"instructions":"…"')
    .replace(`"version":"${productVersion}"`, '"version":"…"')
    .replaceAll(/[0-9a-f]{64}/g, '<digest>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/"text":"\{\\"id\\".*\}(?=\},"jsonrpc")/, '"text":"…')

test('a client of an older revision gets the bytes that it got before', async () => {
  const answers: string[] = []
  for (const sent of messages) answers.push(await answerTo(sent))
  expectReviewed('mcp-legacy.txt', `${answers.join('\n')}\n`)
  expect(answers).toHaveLength(messages.length)
})

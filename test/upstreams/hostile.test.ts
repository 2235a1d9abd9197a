import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { ServerResponse } from 'node:http'
import { shorten } from '../support/shorten.ts'
import { type TestUpstream, type UpstreamRequest, echoTool, startUpstream } from '../support/upstream.ts'
import { type UpstreamDesk, type UpstreamScene, upstreamScene } from './scene.ts'

let scene: UpstreamScene
let upstream: TestUpstream
let desk: UpstreamDesk
/** Gives the bounds back that a test shortened. */
let restore: () => void = () => undefined
beforeAll(async () => {
  scene = await upstreamScene()
})
beforeEach(async () => {
  upstream = await startUpstream([echoTool('read')], { json: true })
  desk = await scene.desk()
})
afterEach(async () => {
  restore()
  await upstream.close()
})
afterAll(() => scene.stop())

const impatient = () => void (restore = shorten({ upstreamListMs: 500 }))

/** Answers a method itself, and leaves the rest to the server. */
const insteadOf = (method: string, answer: (request: UpstreamRequest, response: ServerResponse) => void) => {
  upstream.instead = (request, response) => {
    if (request.body?.method !== method) return false
    answer(request, response)
    return true
  }
}
const json = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const listing = ({ body }: UpstreamRequest, response: ServerResponse, result: unknown) =>
  json(response, { jsonrpc: '2.0', id: body.id, result })
const names = async () => (await desk.served()).map(({ name }) => name)

test('a list of tools that begins again and again is left', async () => {
  insteadOf('tools/list', (request, response) =>
    listing(request, response, { tools: [], nextCursor: 'again' }),
  )
  expect(await desk.put(upstream)).toEqual({
    state: 'failed',
    why: 'its list of tools begins again and again',
  })
})

test('a list of tools with ever new pages is left after 20', async () => {
  let page = 0
  insteadOf('tools/list', (request, response) =>
    listing(request, response, { tools: [], nextCursor: String(page++) }),
  )
  expect(await desk.put(upstream)).toMatchObject({ state: 'failed' })
  expect(page).toBe(20)
})

test('a list of more tools than 256 is refused as a whole, however they are dealt out', async () => {
  upstream.tools = Array.from({ length: 257 }, (_, n) => echoTool(`t${n}`))
  expect(await desk.put(upstream)).toEqual({ state: 'failed', why: 'it lists more than 256 tools' })
  upstream.tools.pop()
  expect(await desk.refresh()).toMatchObject({ state: 'read', tools: 256 })
  insteadOf('tools/list', (request, response) =>
    listing(request, response, { tools: Array.from({ length: 300_000 }, () => 1) }),
  )
  expect(await desk.refresh()).toMatchObject({ state: 'failed' })
  expect(await names()).toHaveLength(256)
})

test('a server that never answers is left in time, and the known tools stay as they are', async () => {
  await desk.put(upstream)
  impatient()
  insteadOf('tools/list', () => undefined)
  expect(await desk.refresh()).toMatchObject({ state: 'failed' })
  expect(await names()).toEqual(['up__read'])
  expect(await desk.server()).toMatchObject({ failing_since: expect.any(Date), failure: expect.any(String) })
  upstream.instead = undefined
  expect(await desk.refresh()).toMatchObject({ state: 'read' })
  expect(await desk.server()).toMatchObject({ failing_since: null, failure: null })
})

test('a server that agrees to a session and then never takes it up is left in time', async () => {
  // All else that could end it takes longer than this test may.
  restore = shorten({ upstreamConnectMs: 300, upstreamCallMs: 600_000, upstreamListMs: 600_000 })
  insteadOf('notifications/initialized', () => undefined)
  expect(await desk.put(upstream)).toEqual({ state: 'failed', why: 'it did not answer in time' })
  restore()
  upstream.instead = undefined
  expect(await desk.refresh()).toMatchObject({ state: 'read' })
})

test('an answer without end is read up to a mebibyte, and no further', async () => {
  let sent = 0
  const flood = (response: ServerResponse) => {
    const part = Buffer.alloc(65_536, 'a')
    const more = () => {
      while (!response.destroyed && response.write(part)) sent += part.length
    }
    response.on('drain', more)
    more()
  }
  for (const type of ['application/json', 'text/event-stream']) {
    insteadOf('tools/list', (_request, response) => flood(response.writeHead(200, { 'content-type': type })))
    // The first answer of a kept connection is tried again on a new one.
    expect(await (type === 'application/json' ? desk.put(upstream) : desk.refresh())).toEqual({
      state: 'failed',
      why: 'its answer has more than 1048576 bytes',
    })
  }
  // The buffers of two sockets may hold more beside what was read.
  expect(sent).toBeLessThan(50_000_000)
})

test('a tool whose definition cannot be kept exactly is refused with the reason, and the others are served', async () => {
  const tools = ['read', 'big', 'small', 'twice'].map((name) => JSON.stringify(echoTool(name).definition))
  const [read, big, small, twice] = tools as [string, string, string, string]
  const inexact = [
    read,
    big.replace('"text":{', '"id":{"maximum":9223372036854775807},"text":{'),
    small.replace('"text":{', '"text":{"minimum":1e-400,'),
    twice.replace('{"name"', '{"description":"Other.","name"'),
  ]
  insteadOf('tools/list', ({ body }, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${body.id},"result":{"tools":[${inexact.join(',')}]}}`),
  )
  expect(await desk.put(upstream)).toEqual({ state: 'read', tools: 1, quarantined: [] })
  const { refused } = await desk.server()
  const cannot = 'its definition cannot be kept exactly: '
  expect(refused).toEqual([
    {
      tool: 'big',
      why: `${cannot}the number 9223372036854775807 is beyond 9007199254740991, which readers of JSON round`,
    },
    { tool: 'small', why: `${cannot}the number 1e-400 is rounded when it is read: write 0` },
    { tool: 'twice', why: `${cannot}the name "description" stands twice in one object` },
  ])
})

test('answers that are not MCP are refused, and nothing of the process breaks', async () => {
  impatient()
  const answers: ((request: UpstreamRequest, response: ServerResponse) => void)[] = [
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
    (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":'),
    (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(100_000)),
    (_, response) => json(response, [1, null, 'x']),
    (_, response) => json(response, { jsonrpc: '2.0', id: 999_999, result: { tools: [] } }),
    (request, response) => listing(request, response, { tools: 'many' }),
    (request, response) => listing(request, response, { tools: [], nextCursor: { deep: 1 } }),
    (request, response) =>
      json(response, { jsonrpc: '2.0', id: request.body.id, error: { code: 1, message: 'no' } }),
    (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n'),
    (_, response) => response.writeHead(500).end(),
    (_, response) => response.destroy(),
  ]
  insteadOf('tools/list', answers[0]!)
  expect(await desk.put(upstream)).toMatchObject({ state: 'failed' })
  for (const answer of answers) {
    insteadOf('tools/list', answer)
    expect(await desk.refresh()).toMatchObject({ state: 'failed' })
  }
  expect(await names()).toEqual([])
})

test('a server that keeps asking to be asked again is left', async () => {
  let resumed = 0
  upstream.instead = ({ body, method }, response) => {
    if (body?.method !== 'tools/list' && method !== 'GET') return false
    if (method === 'GET') resumed++
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`id: ${resumed}\nretry: 1\ndata: \n\n`)
    return true
  }
  expect(await desk.put(upstream)).toMatchObject({ state: 'failed' })
  const first = resumed
  expect(first).toBeLessThanOrEqual(10)
  // Another read, during which the first one would have gone on.
  expect(await desk.refresh()).toMatchObject({ state: 'failed' })
  expect(resumed).toBe(2 * first)
})

test.each(['before', 'after'])(
  'a server that asks without end %s it answers `initialize` is left, and its questions are not answered one by one',
  async (when) => {
    let answers = 0
    upstream.instead = ({ body, method }, response) => {
      if (method === 'POST' && !body.method) answers++
      if (body?.method !== 'initialize') return Boolean(response.writeHead(202).end())
      const say = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      }
      const parts = [say({ id: 1, method: 'ping' }).repeat(10_000), say({ id: body.id, result })]
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end((when === 'before' ? parts : parts.reverse()).join(''))
      return true
    }
    expect(await desk.put(upstream)).toEqual({
      state: 'failed',
      why: 'it asked more than 16 times when it was connected to',
    })
    expect(answers).toBeLessThanOrEqual(16)
  },
)

test('tools that cannot be served are listed as such, with the reason', async () => {
  const deep = { type: 'object', properties: {} as any }
  let inner = deep
  for (let n = 0; n < 40; n++) inner = inner.properties.x = { type: 'object', properties: {} }
  upstream.tools = [
    echoTool('fine'),
    echoTool('with space'),
    echoTool('dot.ted'),
    echoTool('ключ'),
    echoTool('x'.repeat(61)),
    echoTool('twice'),
    echoTool('twice', { description: 'Another of the same name.' }),
    echoTool('deep', { inputSchema: deep }),
    echoTool('big', { description: 'a'.repeat(70_000) }),
    echoTool('untyped', { inputSchema: { type: 'string' } }),
    echoTool('task', { execution: { taskSupport: 'required' } }),
    echoTool('surrogate', { description: '\ud800' }),
    { definition: {} as never },
  ]
  expect(await desk.put(upstream)).toMatchObject({ state: 'read', tools: 1 })
  expect(await names()).toEqual(['up__fine'])
  const { refused } = await desk.server()
  expect(refused.map(({ tool }) => tool)).toEqual([
    'with space',
    'dot.ted',
    'ключ',
    'x'.repeat(61),
    'twice',
    'twice',
    'deep',
    'big',
    'untyped',
    'task',
    'surrogate',
    '',
  ])
})

test('a tool named like one of the gate, or of another server, is served below its own server only', async () => {
  upstream.tools = [
    echoTool('request_action'),
    echoTool('confirm_action'),
    echoTool('other__x'),
    echoTool('_x'),
  ]
  await desk.put(upstream)
  expect(await names()).toEqual(['up___x', 'up__confirm_action', 'up__other__x', 'up__request_action'])
  const parts = (await desk.served()).map(({ upstream: of, tool }) => [of, tool])
  expect(parts).toEqual([
    ['up', '_x'],
    ['up', 'confirm_action'],
    ['up', 'other__x'],
    ['up', 'request_action'],
  ])
})

import { afterEach, expect, test } from '@jest/globals'
import type { ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AddressInfo } from 'node:net'
import { type ExecutorOutcome, callExecutor } from '../../src/executors/call-executor.ts'
import type { Network } from '../../src/executors/guarded-request.ts'
import { newWebhookSecret } from '../../src/executors/signature.ts'
import { type Received, type StandIn, answerJson, standIn } from './stand-in.ts'
import { testRows } from '../support/rows.ts'

const here: Network = { allowed: ['127.0.0.0/8'], callMs: 5_000 }
const secrets = [newWebhookSecret()]
const stop = new AbortController().signal

const open: StandIn[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function executor(
  answer: (request: Received, response: ServerResponse, n: number) => void,
  host?: string,
): Promise<StandIn> {
  const made = await standIn(answer, host)
  open.push(made)
  return made
}

const call = (url: string, network = here, body: string | undefined = '{"a":1}'): Promise<ExecutorOutcome> =>
  callExecutor(
    network,
    {
      account: 'acme',
      url,
      id: 'uuid.call',
      ...(body === undefined ? {} : { body }),
      secrets,
      origin: new URL(url).origin,
    },
    stop,
  )

const answering = (status: number, body = '', headers: Record<string, string> = {}) =>
  executor((_request, response) => void response.writeHead(status, headers).end(body))

test('a call is one signed POST of JSON under its id', async () => {
  const { url, received } = await executor((_request, response) => answerJson(response, 200, { id: 'cus_1' }))
  expect(await call(`${url}/hook?x=1`)).toEqual({ state: 'ok', result: '{"id":"cus_1"}' })
  expect(received).toHaveLength(1)
  expect(received[0]).toMatchObject({
    method: 'POST',
    path: '/hook?x=1',
    body: '{"a":1}',
    headers: {
      'webhook-id': 'uuid.call',
      'content-type': 'application/json',
      'webhook-signature': expect.stringMatching(/^v1,/),
    },
  })
})

testRows([
  [200, '', { state: 'ok' }],
  [204, '', { state: 'ok' }],
  [201, '{"a":[1,null]}', { state: 'ok', result: '{"a":[1,null]}' }],
  [200, 'done', { state: 'ok', leftOut: 'not_json' }],
  [200, '{"a":"\\u0000"}', { state: 'ok', leftOut: 'not_json' }],
  [200, '{"a":"\\ud800"}', { state: 'ok', leftOut: 'not_json' }],
  [200, `${'['.repeat(65)}${']'.repeat(65)}`, { state: 'ok', leftOut: 'not_json' }],
  [200, '{"id":12345678901234567890}', { state: 'ok', leftOut: 'not_exact' }],
  [200, '[1e-400]', { state: 'ok', leftOut: 'not_exact' }],
  [200, '{"a":{"b":1,"\\u0062":1}}', { state: 'ok', leftOut: 'not_exact' }],
  [200, '\ufeff{"a":1.50}', { state: 'ok', result: '{"a":1.5}' }],
  [200, `"${'a'.repeat(65_535)}"`, { state: 'ok', leftOut: 'too_large' }],
  [400, '', { state: 'not_done', code: 'http_400', isVerdict: false }],
  [401, '', { state: 'not_done', code: 'http_401', isVerdict: false }],
  [409, '', { state: 'not_done', code: 'http_409', isVerdict: false }],
  [410, '', { state: 'not_done', code: 'http_410', isVerdict: false }],
  [422, '', { state: 'not_done', code: 'http_422', isVerdict: true }],
  [408, '', { state: 'unknown', code: 'http_408', isUnsent: true }],
  [425, '', { state: 'unknown', code: 'http_425', isUnsent: true }],
  [429, '', { state: 'unknown', code: 'http_429', isUnsent: true }],
  [500, '', { state: 'unknown', code: 'http_500', isUnsent: false }],
  [503, '', { state: 'unknown', code: 'http_503', isUnsent: false }],
  [307, '', { state: 'unknown', code: 'http_307', isUnsent: false }],
] as const)('an answer has the outcome that its status and body say', async (status, body, outcome) => {
  const { url } = await answering(status, body)
  expect(await call(url)).toEqual(outcome)
})

test('Retry-After is followed, up to an hour', async () => {
  const soon = await answering(503, '', { 'retry-after': '7' })
  const late = await answering(429, '', { 'retry-after': '999999' })
  const odd = await answering(503, '', { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' })
  expect(await call(soon.url)).toMatchObject({ afterMs: 7_000 })
  expect(await call(late.url)).toMatchObject({ afterMs: 3_600_000 })
  expect(await call(odd.url)).toMatchObject({ afterMs: undefined })
})

test('long work is asked about at the own origin of the executor, and nowhere else', async () => {
  const locations = [
    '/work/7',
    'status?id=7',
    'https://elsewhere.example/7',
    'http://169.254.169.254/',
    '//b/',
  ]
  const seen: unknown[] = []
  for (const location of locations) {
    const { url } = await answering(202, '', { location })
    const outcome = await call(`${url}/hook/`)
    seen.push(outcome.state === 'accepted' && outcome.location?.replace(url, ''))
  }
  expect(seen).toEqual(['/work/7', '/hook/status?id=7', undefined, undefined, undefined])
})

test('a question is a signed GET without a body', async () => {
  const { url, received } = await executor((_request, response) => answerJson(response, 200, 'done'))
  const asked = { account: 'acme', url, id: 'uuid.call', secrets, origin: new URL(url).origin }
  expect(await callExecutor(here, asked, stop)).toEqual({ state: 'ok', result: '"done"' })
  expect(received[0]).toMatchObject({ method: 'GET', body: '' })
  expect(received[0]!.headers['webhook-signature']).toMatch(/^v1,/)
})

test('a redirect is not followed', async () => {
  const target = await executor((_request, response) => answerJson(response, 200, {}))
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await answering(status, '', { location: target.url })
    expect(await call(url)).toEqual({ state: 'unknown', code: `http_${status}`, isUnsent: false })
  }
  expect(target.received).toEqual([])
})

test('an address that is not allowed is not called: the metadata address, this machine, another form of it', async () => {
  const v4 = await executor((_request, response) => answerJson(response, 200, {}))
  const v6 = await executor((_request, response) => answerJson(response, 200, {}), '::1')
  const closed: Network = { allowed: [] }
  const refused = { state: 'unknown', code: 'address_refused', isUnsent: true }
  expect(await call('https://169.254.169.254/latest/meta-data', closed)).toEqual(refused)
  expect(await call(v6.url, closed)).toEqual(refused)
  expect(await call(v6.url, here)).toEqual(refused)
  expect(await call(v4.url, closed)).toEqual(refused)
  expect(await call(v4.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'), here)).toEqual(refused)
  expect([v4.received, v6.received]).toEqual([[], []])
})

test('a name that leads to a closed network is not called, nor one of which one address does', async () => {
  const { port, received } = await executor((_request, response) => answerJson(response, 200, {}))
  const leadsTo = (...addresses: string[]): Network => ({
    allowed: [],
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  })
  for (const addresses of [['127.0.0.1'], ['10.0.0.1'], ['::1'], ['8.8.8.8', '127.0.0.1'], ['fd00::1']])
    expect(await call(`https://executor.example:${port}/`, leadsTo(...addresses))).toEqual({
      state: 'unknown',
      code: 'address_refused',
      isUnsent: true,
    })
  expect(await call('https://executor.example/', leadsTo())).toMatchObject({ code: 'not_resolved' })
  expect(received).toEqual([])
})

test('a name is resolved in the turn of the account whose call it is', async () => {
  const asked: [string, string][] = []
  const resolve = async (...of: [host: string, account: string]) => {
    asked.push(of)
    return []
  }
  await call('https://executor.example/', { allowed: [], resolve })
  expect(asked).toEqual([['executor.example', 'acme']])
})

test('a name is resolved once for a call, so what it leads to a moment later is not called', async () => {
  const bait = await executor((_request, response) => answerJson(response, 200, { from: 'bait' }))
  let asked = 0
  const rebinding: Network = {
    allowed: ['localhost', '127.0.0.0/8'],
    // The second answer leads elsewhere: code that checks one and connects to the other is caught.
    resolve: async () => [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }],
  }
  const outcome = await call(`http://localhost:${bait.port}/`, rebinding)
  expect(asked).toBe(1)
  expect(outcome).toEqual({ state: 'unknown', code: 'econnrefused', isUnsent: true })
  expect(bait.received).toEqual([])
})

test('an answer without end is left after 64 KiB', async () => {
  const part = Buffer.alloc(65_536)
  let sent = 0
  const { url } = await executor((_request, response) => {
    response.writeHead(200)
    const push = () => {
      while (!response.destroyed && sent < 10_000_000_000 && response.write(part)) sent += part.length
      if (!response.destroyed) response.once('drain', push)
    }
    push()
  })
  expect(await call(url)).toEqual({ state: 'ok', leftOut: 'too_large' })
  expect(sent).toBeLessThan(50_000_000)
})

test('a call whose executor never answers, or never ends its answer, is unknown after the time of a call', async () => {
  const network = { ...here, callMs: 200 }
  const mute = await executor(() => undefined)
  const drip = await executor((_request, response) => void response.writeHead(200).write('{'))
  const late = { state: 'unknown', code: 'timeout', isUnsent: false }
  expect(await call(mute.url, network)).toEqual(late)
  expect(await call(drip.url, network)).toEqual(late)
})

test('the time of a call ends it also after a garbage collection', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const mute = await executor(() => undefined)
  const calls = Array.from({ length: 20 }, () => call(mute.url, { ...here, callMs: 400 }))
  const timer = setInterval(collect, 40)
  const outcomes = await Promise.all(calls)
  clearInterval(timer)
  expect(outcomes).toEqual(calls.map(() => ({ state: 'unknown', code: 'timeout', isUnsent: false })))
})

test('a connection that breaks off is unknown once the request was sent, and certainly nothing before', async () => {
  const broken = await executor((_request, response) => void response.destroy())
  const cut = await executor((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"a":', () => void response.destroy())
  })
  expect(await call(broken.url)).toEqual({ state: 'unknown', code: 'econnreset', isUnsent: false })
  expect(await call(cut.url)).toEqual({ state: 'unknown', code: 'answer_broken', isUnsent: false })
  const gone = await standIn(() => undefined)
  await gone.close()
  expect(await call(gone.url)).toEqual({ state: 'unknown', code: 'econnrefused', isUnsent: true })
})

test('https to a server without TLS sends nothing of the call', async () => {
  const seen: Buffer[] = []
  const plain = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      seen.push(part)
      socket.end('HTTP/1.1 200 OK\r\n\r\n')
    })
  })
  plain.listen(0, '127.0.0.1')
  await once(plain, 'listening')
  try {
    const { port } = plain.address() as AddressInfo
    expect(await call(`https://127.0.0.1:${port}/`)).toMatchObject({ state: 'unknown', isUnsent: true })
    expect(Buffer.concat(seen).includes('webhook-id')).toBe(false)
  } finally {
    plain.close()
  }
})

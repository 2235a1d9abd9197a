import { afterEach, expect, test } from '@jest/globals'
import { checkedFetch } from '../../src/executors/checked-fetch.ts'
import { type StandIn, answerJson, standIn } from './stand-in.ts'

const bounds = { account: 'acme', allow: ['127.0.0.0/8'], timeoutMs: 5_000, bytesMax: 100_000 }
const open: StandIn[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})
async function server(...given: Parameters<typeof standIn>): Promise<StandIn> {
  const made = await standIn(...given)
  open.push(made)
  return made
}

test('the checked fetch works like fetch: method, headers, body, status, and the answer as it comes', async () => {
  let sendRest = () => {}
  const { url, received } = await server((_request, response) => {
    response.writeHead(201, { 'content-type': 'text/event-stream', 'set-cookie': ['a=1', 'b=2'] })
    response.write('data: 1\n\n')
    sendRest = () => void response.end('data: 2\n\n')
  })
  const answer = await checkedFetch(
    `${url}/mcp?x=1`,
    { method: 'POST', headers: { accept: 'text/event-stream', 'Mcp-Session-Id': 's1' }, body: '{"é":1}' },
    bounds,
  )
  expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'text/event-stream'])
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  const parts: string[] = []
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    parts.push(part)
    sendRest()
  }
  expect(parts).toEqual(['data: 1\n\n', 'data: 2\n\n'])
  expect(received[0]).toMatchObject({ method: 'POST', path: '/mcp?x=1', body: '{"é":1}' })
  expect(received[0]!.headers['mcp-session-id']).toBe('s1')
})

test('answers without a body have none, and a redirect is an answer', async () => {
  const { url } = await server((request, response) =>
    request.path === '/gone'
      ? void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      : void response.writeHead(204).end(),
  )
  expect((await checkedFetch(url, undefined, bounds)).body).toBeNull()
  expect((await checkedFetch(`${url}/gone`, undefined, bounds)).status).toBe(302)
})

test('an address that is not allowed is not fetched', async () => {
  const { url, received } = await server((_request, response) => answerJson(response, 200, {}))
  const closed = { ...bounds, allow: [] }
  for (const target of [url, 'https://169.254.169.254/', 'http://[::1]/'])
    await expect(checkedFetch(target, undefined, closed)).rejects.toMatchObject({
      code: 'address_refused',
      isUnsent: true,
    })
  expect(received).toEqual([])
})

test('an answer beyond the bound ends with an error, and so does one that takes too long', async () => {
  const { url } = await server((request, response) => {
    response.writeHead(200)
    if (request.path === '/long') return void response.end(Buffer.alloc(200_000))
    response.write('x')
  })
  const long = await checkedFetch(`${url}/long`, undefined, bounds)
  await expect(long.text()).rejects.toThrow('more than 100000 bytes')
  const endless = await checkedFetch(url, undefined, { ...bounds, timeoutMs: 200 })
  await expect(endless.text()).rejects.toThrow()
})

test('a caller can stop a fetch', async () => {
  const stop = new AbortController()
  const { url } = await server(() => stop.abort())
  const asked = checkedFetch(url, { signal: stop.signal }, { ...bounds, timeoutMs: 600_000 })
  await expect(asked).rejects.toMatchObject({ code: 'timeout', isUnsent: false })
})

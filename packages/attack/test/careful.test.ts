import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, test } from '@jest/globals'
import { send } from '../lib/http.js'
import type { Answer } from '../lib/index.js'
import { attacks, restAdapter } from '../lib/index.js'
import { makeTrial } from '../lib/trial.js'

const listening = async (server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>) => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

test('an action that an attack only read stays open when it cleans up', async () => {
  const cancelled: unknown[] = []
  const answer = (id: number): Answer => ({
    outcome: 'done',
    status: 200,
    headers: {},
    text: '',
    ms: 0,
    request: '',
    action: { id, status: 'proposed', isRunning: false, isAsked: false },
  })
  const adapter = {
    ...restAdapter({ url: 'http://gate.invalid', key: 'key' }),
    read: async () => answer(1),
    raw: async () => answer(1),
    propose: async () => answer(2),
    cancel: async (id: unknown) => {
      cancelled.push(id)
      return answer(Number(id))
    },
  }
  const scene = { member: { email: 'ada@example.com' }, allowEffects: false }
  const [attack] = attacks
  const { trial, cleanUp } = makeTrial({ attack: attack!, adapter, adapters: [adapter], scene, secrets: [] })
  await trial.gate.read(1)
  await trial.gate.raw({ method: 'GET', path: '/api/v1//actions/1' })
  await trial.propose()
  expect(await cleanUp()).toEqual([])
  expect(cancelled).toEqual([2])
})

const close = (server: ReturnType<typeof createServer>) => {
  server.closeAllConnections()
  return new Promise((closed) => void server.close(closed))
}

test.each([
  ['its body', 200, (response: ServerResponse) => void response.writeHead(200)],
  ['its headers', 0, ({ socket }: ServerResponse) => void socket!.write('HTTP/1.1 200 OK\r\n')],
])(
  'a gate that sends %s a byte at a time is left at the deadline of the request',
  async (_, status, begin) => {
    const server = createServer((_request, response) => {
      begin(response)
      const drip = setInterval(
        () => (response.headersSent ? response.write('x') : response.socket!.write('x')),
        20,
      )
      response.socket!.once('close', () => clearInterval(drip))
    })
    const url = `http://127.0.0.1:${await listening(server)}`
    const sent = await send({ url, method: 'GET', path: '/', headers: {}, timeoutMs: 300 })
    await close(server)
    expect(sent).toMatchObject({
      status,
      text: expect.stringMatching(status === 0 ? /within 300 ms/ : /^x+$/),
    })
  },
)

test('an answer without end is read to 4 MiB, and then broken off', async () => {
  let hungUp: (at: unknown) => void
  const end = new Promise((resolve) => (hungUp = resolve))
  const server = createServer((_request, response) => {
    response.socket!.once('close', hungUp)
    const more = () => void response.write('x'.repeat(65_536), more)
    more()
  })
  const url = `http://127.0.0.1:${await listening(server)}`
  const { status, text } = await send({ url, method: 'GET', path: '/', headers: {} })
  await end
  await close(server)
  expect(status).toBe(200)
  expect(text.length).toBeGreaterThan(4 * 1024 * 1024 - 1_048_576)
  expect(text.length).toBeLessThanOrEqual(4 * 1024 * 1024)
})

test('a request that came too soon waits as long as it is told, so that a limit of requests fails no attack', async () => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.writeHead(requests === 1 ? 429 : 200, { 'retry-after': '1' })
    response.end('{"code":"rate_limited"}')
  })
  const url = `http://127.0.0.1:${await listening(server)}`
  try {
    expect(await send({ url, method: 'GET', path: '/', headers: {} })).toMatchObject({ status: 200 })
    expect(requests).toBe(2)
  } finally {
    server.close()
  }
})

test('over https, a forged Host reaches the gate instead of failing at TLS', async () => {
  const asked: string[] = []
  // Without a certificate: that the right one is asked for is what matters.
  const server = createTlsServer({
    SNICallback: (name, done) => {
      asked.push(name)
      done(new Error('no certificate'))
    },
  })
  server.on('tlsClientError', () => {})
  const url = `https://localhost:${await listening(server)}`
  try {
    await send({ url, method: 'GET', path: '/', headers: { host: 'attack-host.invalid' } })
    expect(asked).toEqual(['localhost'])
  } finally {
    server.close()
  }
})

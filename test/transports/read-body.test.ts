import { afterAll, beforeAll, expect, test } from '@jest/globals'
import Fastify, { type FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { takeJson } from '../../src/transports/json-body.ts'
import { testRows } from '../support/rows.ts'

let app: FastifyInstance
let handled = 0
beforeAll(async () => {
  app = Fastify({ bodyLimit: 100 })
  app.decorateRequest('signed', null)
  takeJson(app)
  // As a key is read: the body arrives meanwhile.
  app.addHook('onRequest', () => delay(5))
  app.post('/', async ({ body }) => {
    handled++
    return { body }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

const open = async (): Promise<Socket> => {
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  await once(socket, 'connect')
  return socket.setNoDelay()
}

const head = (field: string) =>
  `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${field}\r\n\r\n`
const sized = (text: string, bytes = Buffer.byteLength(text)) => head(`content-length: ${bytes}`) + text
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const chunked = (...texts: string[]) =>
  head('transfer-encoding: chunked') + texts.map(chunk).join('') + '0\r\n\r\n'

/** Sends each part when the one before has arrived. @returns the status and the body of the answer */
async function answerTo(socket: Socket, parts: Buffer[]): Promise<[number, unknown]> {
  for (const [n, part] of parts.entries()) {
    if (n > 0) await delay(20)
    socket.write(part)
  }
  const [answer] = (await once(socket, 'data')) as [Buffer]
  const [top, body] = answer.toString().split('\r\n\r\n')
  return [Number(top!.slice(9, 12)), JSON.parse(body!)]
}

const cut = (text: string, ...places: number[]): Buffer[] => {
  const bytes = Buffer.from(text)
  return [0, ...places].map((from, n) => bytes.subarray(from, places[n] ?? bytes.length))
}

const euro = '{"text":"5 €"}'
const inHead = sized(euro).length - euro.length

testRows([
  ['at once', cut(sized(euro))],
  ['after its headers', cut(sized(euro), inHead)],
  ['in two parts, within a character', cut(sized(euro), inHead + 12)],
  ['with its last byte late', cut(sized(euro), Buffer.byteLength(sized(euro)) - 1)],
  ['without a length', cut(chunked('{"text":', '"5 €"}'))],
  ['without a length, in parts', cut(chunked('{"text":', '"5 €"}'), 90, 95, 101)],
] as [string, Buffer[]][])(
  'a body that arrives %s is read as it is, and the next one too',
  async (_how, parts) => {
    const socket = await open()
    for (let request = 0; request < 3; request++)
      expect(await answerTo(socket, parts)).toEqual([200, { body: { text: '5 €' } }])
    socket.destroy()
  },
)

const long = JSON.stringify('a'.repeat(99))

testRows([
  ['at once', cut(sized(long))],
  ['said alone', cut(head('content-length: 101'))],
  ['without a length', cut(chunked(long))],
  ['without a length, in parts', cut(chunked(long.slice(0, 50), long.slice(50)), 90, 150)],
] as [string, Buffer[]][])('a body that is too large is refused when it comes %s', async (_how, parts) => {
  const socket = await open()
  expect(await answerTo(socket, parts)).toMatchObject([413, { code: 'FST_ERR_CTP_BODY_TOO_LARGE' }])
  socket.destroy()
})

test('a body of the largest size is taken', async () => {
  const socket = await open()
  const text = JSON.stringify('a'.repeat(98))
  expect(await answerTo(socket, cut(sized(text)))).toEqual([200, { body: 'a'.repeat(98) }])
  expect(await answerTo(socket, cut(chunked(text)))).toEqual([200, { body: 'a'.repeat(98) }])
  socket.destroy()
})

test('what follows a body on its connection is the next request', async () => {
  const socket = await open()
  const answers: string[] = []
  socket.on('data', (bytes) => answers.push(bytes.toString()))
  socket.write(sized('1') + sized('2') + chunked('3') + sized('4'))
  while (answers.join('').split('"body"').length < 5) await once(socket, 'data')
  expect([...answers.join('').matchAll(/"body":(\d)/g)].map(([, n]) => n)).toEqual(['1', '2', '3', '4'])
  socket.destroy()
})

test('a body whose caller leaves is not handled', async () => {
  const before = handled
  const leaving = await open()
  leaving.write(sized('{"text":"half', 50))
  await delay(20)
  leaving.destroy()
  const socket = await open()
  expect(await answerTo(socket, cut(sized('1')))).toEqual([200, { body: 1 }])
  expect(handled).toBe(before + 1)
  socket.destroy()
})

import { afterEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
} from 'node:http'
import { type Socket, connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { type Proxied, ownHeaders, proxied } from './proxied.ts'
import { testRows } from '../support/rows.ts'

let gateway: Proxied | undefined
const tearDown = async () => {
  if (!gateway) return
  const { underWay } = gateway
  await until('every exchange is over', async () => underWay() === 0)
  await gateway.close()
  gateway = undefined
}
afterEach(tearDown)

const bounds = {
  requestsMax: 4,
  requestBytesMax: 100_000,
  answerBytesMax: 1_000_000,
  requestMs: 20_000,
  silenceMs: 20_000,
}

/** What the app was asked, as it saw it. */
async function appWith(
  given: OutgoingHttpHeaders,
  options: { method?: string; body?: string } = {},
): Promise<IncomingHttpHeaders> {
  gateway = await proxied({ http: (asked, answer) => answer.end(JSON.stringify(asked.headers)) })
  const { body } = await gateway.get('/', { headers: given, ...options })
  return JSON.parse(body) as IncomingHttpHeaders
}

/** What the viewer got of an answer with these headers. */
async function viewerGets(
  given: Record<string, string | string[]>,
  path = '/a/b?c',
): Promise<Record<string, unknown>> {
  gateway = await proxied({
    http: (_, answer) => {
      for (const [name, value] of Object.entries(given))
        if (value !== undefined) answer.setHeader(name, value)
      answer.statusCode = 'location' in given ? 302 : 200
      answer.end('body')
    },
  })
  const { headers, status } = await gateway.get(path)
  return { ...headers, ':status': status }
}

test("the app is asked by its own name, and learns nothing of the viewer's credentials or way", async () => {
  const seen = await appWith({
    host: 'label.localhost:8789',
    authorization: 'Bearer qgk_secret',
    'proxy-authorization': 'Basic eA==',
    'x-forwarded-for': '10.0.0.1',
    'x-forwarded-host': 'gate.example',
    forwarded: 'for=10.0.0.1',
    'x-real-ip': '10.0.0.1',
    via: '1.1 x',
    te: 'trailers',
    'x-mine': 'dropped, since named by connection',
    connection: 'close, x-mine',
    accept: 'text/html',
    'x-app': 'kept',
  })
  expect(seen).toEqual({ host: '127.0.0.1:3000', connection: 'close', accept: 'text/html', 'x-app': 'kept' })
})

testRows(
  [
    ['gate-preview=secret; app=1; theme=dark', 'app=1; theme=dark'],
    ['__Host-gate-preview=secret', undefined],
    ['__host-GATE-preview=secret; a=b', 'a=b'],
    ['=gate-preview=secret; a=b', 'a=b'],
    ['gate-connect=secret; gate-session=x; sid=1', 'sid=1'],
  ],
  [tearDown],
)('the app gets its own cookies', async (cookie, expected) => {
  expect((await appWith({ cookie }))['cookie']).toBe(expected)
})

test("where a form came from is told in the app's own words", async () => {
  const host = 'label.localhost:8789'
  const own = await appWith(
    { host, origin: `http://${host}`, referer: `http://${host}/form?x=1` },
    { method: 'POST', body: 'a=1' },
  )
  expect(own).toMatchObject({ origin: 'http://127.0.0.1:3000', referer: 'http://127.0.0.1:3000/form?x=1' })
  await gateway?.close()
  const foreign = await appWith(
    { host, origin: 'http://evil.example', referer: 'http://evil.example/x' },
    { method: 'POST', body: '' },
  )
  expect(foreign.origin).toBe('http://evil.example')
  expect(foreign.referer).toBeUndefined()
})

test("the app's headers that speak for the origin, or to a server in front, do not reach the viewer", async () => {
  const got = await viewerGets({
    'content-security-policy': 'default-src *',
    'content-security-policy-report-only': 'default-src *',
    'cache-control': 'public, max-age=31536000',
    'strict-transport-security': 'max-age=1',
    'alt-svc': 'h3=":1"',
    'clear-site-data': '"*"',
    'service-worker-allowed': '/',
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'cross-origin-opener-policy': 'unsafe-none',
    link: '<http://evil.example/x.js>; rel=preload',
    refresh: '0; url=http://evil.example',
    nel: '{}',
    'report-to': '{}',
    'reporting-endpoints': 'a="http://evil.example"',
    'www-authenticate': 'Basic',
    'x-accel-redirect': '/etc/passwd',
    'x-sendfile': '/etc/passwd',
    'x-mine': 'dropped',
    connection: 'close, x-mine',
    'content-type': 'text/html',
    'content-language': 'de',
    'x-app': 'kept',
    vary: ['a', 'b'],
  })
  const { date: _date, ...rest } = got
  expect(rest).toEqual({
    ':status': 200,
    ...ownHeaders,
    'content-type': 'text/html',
    'content-language': 'de',
    'x-app': 'kept',
    vary: 'a, b',
    connection: 'close',
    'content-length': '4',
  })
})

test('the app sets cookies of its own for its host alone, and never ours', async () => {
  const got = await viewerGets({
    'set-cookie': [
      'app=1; Path=/; HttpOnly; Domain=localhost; SameSite=Lax',
      'gate-preview=forged; Path=/',
      'gate-preview=; Max-Age=0',
      '__Host-gate-preview=forged; Secure; Path=/',
      ' GATE-preview =forged',
      '=gate-preview=forged',
      'gate-preview',
      'wide=1;domain = .localhost;Domain',
      'two words=1',
    ],
  })
  expect(got['set-cookie']).toEqual(['app=1; Path=/; HttpOnly; SameSite=Lax', 'wide=1'])
})

testRows(
  [
    ['/next', '/next'],
    ['next?x#y', '/a/next?x#y'],
    ['../up', '/up'],
    ['?q', '/a/b?q'],
    ['http://127.0.0.1:3000/next?x', '/next?x'],
    ['http://localhost:3000', '/'],
    ['https://localhost:3000/s', '/s'],
    ['//127.0.0.1:3000//evil.example/x', '/evil.example/x'],
    ['http://user:word@127.0.0.1:3000/x', '/x'],
  ],
  [tearDown],
)('an answer that leads into the app leads the viewer there', async (location, expected) => {
  expect(await viewerGets({ location })).toMatchObject({ ':status': 302, location: expected })
})

testRows(
  [
    ['https://evil.example/'],
    ['//evil.example/'],
    ['/\\evil.example/'],
    ['\\\\evil.example'],
    ['http://127.0.0.1:5432/'],
    ['http://127.0.0.1:3000@evil.example/'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['http://[bad'],
  ],
  [tearDown],
)('an answer that leads elsewhere is refused', async (location) => {
  const got = await viewerGets({ location })
  expect(got[':status']).toBe(502)
  expect(got['location']).toBeUndefined()
  expect(got).toMatchObject(ownHeaders)
})

const raw = (bytes: string, then: (socket: Socket) => void = () => {}) => ({
  raw: (socket: Socket) => {
    socket.once('data', () => {
      socket.write(bytes)
      then(socket)
    })
  },
})
const ends = (socket: Socket) => socket.end()

testRows(
  [
    ['garbage', raw('\u0000\u0001 this is not HTTP\r\n\r\n', ends), 502],
    ['nothing, and closes', raw('', ends), 502],
    ['nothing, and stays', raw(''), 504],
    ['half a header, and stays', raw('HTTP/1.1 200 OK\r\nX-Half'), 504],
    ['half a header, and closes', raw('HTTP/1.1 200 OK\r\nX-Half', ends), 502],
    [
      'headers without end',
      raw(
        `HTTP/1.1 200 OK\r\n${'x-a: '.padEnd(200, 'b')}\r\n`
          .repeat(1)
          .concat(`x-b: ${'c'.repeat(40_000)}\r\n\r\n`),
        ends,
      ),
      502,
    ],
    [
      'another protocol',
      raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
      502,
    ],
    ['two lengths', raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', ends), 502],
    ['a length that is too long', raw('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nx'), 502],
    ['a status that is none', raw('HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', ends), 502],
  ],
  [tearDown],
)('an app that answers wrongly gives a clean answer of ours', async (_, app, status) => {
  gateway = await proxied(app, { ...bounds, silenceMs: 300 })
  const got = await gateway.get('/')
  expect(got).toMatchObject({ status, isWhole: true, headers: ownHeaders })
  expect(got.body).toMatch(/^The preview .*\.\n$/)
})

test.each([
  ['closes in the middle', raw('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', ends)],
  ['stops in the middle', raw('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')],
  [
    'closes between two parts',
    raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', ends),
  ],
  [
    'sends a part that is none',
    raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n'),
  ],
])('an answer of an app that %s looks cut to the viewer', async (_, app) => {
  gateway = await proxied(app, { ...bounds, silenceMs: 300 })
  expect(await gateway.get('/')).toMatchObject({ isWhole: false })
})

/** Waits until a number has not changed for many turns of the event loop, in which all that takes part would have had its turn. */
async function standsStill(number: () => number): Promise<void> {
  for (let turns = 0, last = number(); turns < 500; turns++) {
    await turn()
    if (number() !== last) turns = 0
    last = number()
  }
}

test('an answer without end is cut at its bound, and waits for a viewer who does not read', async () => {
  const part = Buffer.alloc(65_536, 'x')
  let sent = 0
  const endless: RequestListener = (_, answer) => {
    const more = () => {
      do sent += part.length
      while (answer.write(part) && !answer.destroyed)
    }
    answer.on('drain', more).on('error', () => {})
    more()
  }
  gateway = await proxied({ http: endless }, { ...bounds, answerBytesMax: 400_000_000, requestMs: 60_000 })
  const asked = request({ host: '127.0.0.1', port: gateway.port, agent: false }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  await standsStill(() => sent)
  // The buffers of four sockets hold this much.
  expect(sent).toBeLessThan(50_000_000)
  const ended = new Promise((resolve) => void answer.on('error', () => {}).on('close', resolve))
  answer.resume()
  await ended
  expect([answer.statusCode, answer.complete]).toEqual([200, false])
  expect(sent).toBeGreaterThan(390_000_000)
  expect(sent).toBeLessThan(420_000_000)
}, 90_000)

test('an app that sends byte after byte is cut when the time of a request is over', async () => {
  const dripping = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const drip = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(drip))
  }
  gateway = await proxied({ raw: dripping }, { ...bounds, requestMs: 400 })
  expect(await gateway.get('/')).toMatchObject({ status: 200, isWhole: false })
})

test('a request that is too large is refused, whether it says so or not', async () => {
  let got = 0
  const reading: RequestListener = (asked, answer) => {
    asked
      .on('data', (part: Buffer) => (got += part.length))
      .on('end', () => answer.end('read'))
      .on('error', () => {})
  }
  gateway = await proxied({ http: reading }, bounds)
  const body = Buffer.alloc(100_001)
  const declared = await gateway.get('/', { method: 'POST', body })
  expect(declared).toMatchObject({ status: 413, headers: ownHeaders })
  expect(got).toBe(0)
  const undeclared = await gateway.get('/', {
    method: 'POST',
    body,
    headers: { 'transfer-encoding': 'chunked' },
  })
  expect(undeclared.status).toBe(413)
  expect(await gateway.get('/', { method: 'POST', body: body.subarray(1) })).toMatchObject({
    status: 200,
    body: 'read',
  })
})

test('requests above the number that a preview may have under way are told to come again', async () => {
  const waiting: (() => void)[] = []
  gateway = await proxied({ http: (_, answer) => void waiting.push(() => answer.end('late')) }, bounds)
  const first = Array.from({ length: bounds.requestsMax }, () => gateway?.get('/'))
  await until('all have come', async () => waiting.length === bounds.requestsMax)
  const last = await gateway.get('/')
  expect(last).toMatchObject({ status: 503, headers: { 'retry-after': '1', ...ownHeaders } })
  for (const answer of waiting.splice(0)) answer()
  expect((await Promise.all(first)).map((one) => one?.status)).toEqual([200, 200, 200, 200])
  const again = gateway.get('/')
  await until('the next comes through', async () => waiting.length === 1)
  waiting[0]?.()
  expect((await again).status).toBe(200)
})

test('the end of the preview ends its answers, begun or not', async () => {
  let asked = 0
  const half: RequestListener = ({ url }, answer) => void (++asked, url === '/half' && answer.write('half'))
  gateway = await proxied({ http: half }, bounds)
  const begun = connect(gateway.port, '127.0.0.1')
  begun.write('GET /half HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(begun, 'readable')
  const silent = gateway.get('/none')
  await until('both have come', async () => asked === 2)
  gateway.abort()
  let words = ''
  for await (const part of begun.on('error', () => {})) words += String(part)
  expect(words).toMatch(/\r\n4\r\nhalf\r\n$/)
  expect(await silent).toMatchObject({ status: 502 })
  expect(await gateway.get('/')).toMatchObject({ status: 502 })
})

test('a viewer that goes away takes its request along', async () => {
  let closed = 0
  gateway = await proxied(
    { http: (_, answer) => void answer.on('close', () => closed++).write('half') },
    bounds,
  )
  const socket = connect(gateway.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  await until('the app is left', async () => closed > 0)
  expect(closed).toBe(1)
})

test.each([
  ['GET http://evil.example/ HTTP/1.1', 400],
  ['OPTIONS * HTTP/1.1', 400],
  ['TRACE / HTTP/1.1', 405],
  ['PROPFIND / HTTP/1.1', 405],
])('%s does not reach the app', async (line, status) => {
  let asked = 0
  gateway = await proxied({ http: (_, answer) => answer.end(String(asked++)) }, bounds)
  const socket = connect(gateway.port, '127.0.0.1')
  socket.write(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`)
  let words = ''
  for await (const part of socket) words += String(part)
  expect(words).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(asked).toBe(0)
})

test('HEAD, 204 and 304 have no body', async () => {
  gateway = await proxied({
    http: (asked, answer) => {
      answer.statusCode = Number(asked.url?.slice(1)) || 200
      answer.setHeader('content-type', 'text/html')
      answer.end(asked.method === 'HEAD' || answer.statusCode !== 200 ? undefined : 'body')
    },
  })
  expect(await gateway.get('/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '', isWhole: true })
  expect(await gateway.get('/204')).toMatchObject({ status: 204, isWhole: true })
  expect(await gateway.get('/304')).toMatchObject({ status: 304, isWhole: true })
})

test('a preview that is gone answers 502', async () => {
  gateway = await proxied({ socketPath: '/nowhere/gate.sock' })
  expect(await gateway.get('/')).toMatchObject({ status: 502, headers: ownHeaders, isWhole: true })
})

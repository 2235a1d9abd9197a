import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { connect as dial } from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { type RunningApi, startApi } from '../../src/api.ts'
import type { Config } from '../../src/config.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { freePort } from '../../dev/embedded/free-port.ts'
import { mintKey } from '../../src/keys/api-key.ts'
import type { TestAccount } from '../support/account.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { callTool, rpc } from '../support/mcp-tool.ts'
import { errorBody } from '../support/error-body.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let account: TestAccount & { client: ApiClient }
let client: ApiClient
const logged: string[] = []
const apis: { deps: Deps; api: RunningApi }[] = []
// Nothing is redacted here: what must not be logged must not be passed to the log.
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })

beforeAll(async () => {
  gate = await startGate({ workers: false, log })
  account = await gate.account()
  client = account.client
  await account.addMember({ email: 'ada@example.com', tier: 'write' })
}, 60_000)
afterAll(async () => {
  for (const { api, deps } of apis) {
    await api.stop()
    await deps.close()
  }
  await gate.stop()
})

/** Another API beside the gate's own, with some of its configuration changed. */
async function apiWith(changes: Partial<Config>): Promise<string> {
  const deps = makeDeps({ ...gate.config, ...changes }, { sandboxUrl: gate.sandbox.url, log })
  const api = await startApi(deps)
  apis.push({ deps, api })
  return api.url
}

/** What the server says to bytes that no client would send. */
async function overSocket(sent: string): Promise<{ head: string; body: unknown }> {
  const socket = dial(Number(new URL(gate.api.url).port), '127.0.0.1')
  socket.write(sent)
  const [head, body] = (await text(socket)).split('\r\n\r\n')
  const isJson = head!.includes('content-type: application/json')
  return { head: head!, body: isJson ? JSON.parse(body!) : body }
}

const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const sentence = {
  error: expect.stringMatching(/^[A-Z].*[.…]$/s),
  code: expect.stringMatching(/^[a-z_]+$/),
  request_id: expect.stringMatching(requestId),
}
const actor = { email: 'ada@example.com' }

const unusual = ['TRACE', 'QUERY', 'PROPFIND', 'SEARCH', 'M-SEARCH']

describe('401', () => {
  const addresses: [string, string][] = [
    ['GET', '/api/v1/capability?email=ada@example.com'],
    ['GET', '/api/v1/actions'],
    ['POST', '/api/v1/actions'],
    ['GET', '/api/v1/actions/1'],
    ['POST', '/api/v1/actions/1/confirm'],
    ['POST', '/api/v1/actions/1/cancel'],
    ['GET', '/api/v1/conversations/site/files?email=ada@example.com'],
    ['GET', '/api/v1/conversations/site/files/read?email=ada@example.com&path=a'],
    ['GET', '/api/v1/conversations/a.b/files'],
    ['POST', '/api/mcp'],
    ['GET', '/api/mcp'],
    ['DELETE', '/api/mcp'],
    ['PUT', '/api/v1/actions'],
    ['GET', '/api/v1/no-such-thing'],
    ['GET', '/api/v1/actions/%ZZ'],
    ['GET', '/api/v1/actions/0'],
    ['GET', `/api/v1/actions/${'9'.repeat(300)}`],
    ['GET', '/api/v1/actions?limit=nonsense'],
    ['OPTIONS', '/api/v1/actions'],
  ]

  testRows(addresses)('comes before any other check at every address', async (method, path) => {
    const response = await fetch(`${gate.api.url}${path}`, { method })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await response.json()).toEqual(sentence)
    expect(response.headers.get('x-request-id')).toMatch(requestId)
  })

  test.each([
    ['malformed JSON', 'application/json', '{'],
    ['a foreign content type', 'text/plain', 'a=b'],
    ['a body that is too large, of which nothing is read', 'application/json', 'x'.repeat(1_048_577)],
  ])('comes before %s', async (_what, contentType, body) => {
    for (const path of ['/api/v1/actions', '/api/mcp', '/api/v1/no-such-thing', '/api/']) {
      const head = [
        `POST ${path} HTTP/1.1`,
        'host: a',
        `content-type: ${contentType}`,
        `content-length: ${body.length}`,
      ]
      const answer = await overSocket(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n`)
      expect(answer.head).toMatch(/^HTTP\/1.1 401 /)
      expect(answer.body).toEqual(sentence)
    }
  })

  test('comes before what is said of a method, at addresses that are there and not', async () => {
    for (const path of ['/api/v1/actions', '/api/mcp', '/api/v1/no-such-thing'])
      for (const method of unusual) {
        const { head, body } = await overSocket(
          `${method} ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
        )
        expect([method, head.split('\r\n')[0], body]).toEqual([method, 'HTTP/1.1 401 Unauthorized', sentence])
      }
  })

  test('has one body for a missing, malformed, unknown, expired and revoked key', async () => {
    const expired = await account.mintKey({ expires: new Date(Date.now() - 1_000) })
    const revoked = await account.mintKey()
    await account.revokeKey(revoked.keyId)
    const headers: Record<string, string>[] = [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer qgk_short' },
      { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
      { authorization: account.key },
      { authorization: `Bearer ${account.key.slice(0, -1)}${account.key.endsWith('a') ? 'b' : 'a'}` },
      { authorization: `Bearer ${mintKey()}` },
      { authorization: `Bearer ${expired.key}` },
      { authorization: `Bearer ${revoked.key}` },
    ]
    const answers = await Promise.all(
      headers.map(async (h) => {
        const response = await fetch(`${gate.api.url}/api/v1/actions`, { headers: h })
        const body = { ...((await response.json()) as object), request_id: '' }
        return [response.status, response.headers.get('www-authenticate'), body]
      }),
    )
    expect(new Set(answers.map((a) => JSON.stringify(a))).size).toBe(1)
    expect(answers[0]).toEqual([401, 'Bearer', { ...errorBody('unauthenticated'), request_id: '' }])
  })

  test('comes with the next request after a key was revoked', async () => {
    const { key, keyId } = await account.mintKey()
    const other = apiClient(gate.api.url, key)
    const before = await other.list()
    await account.revokeKey(keyId)
    expect([before.status, (await other.list()).status]).toEqual([200, 401])
  })
})

describe('400: a request that cannot be read', () => {
  testRows(['{', '', '{"a":1}}', 'null null', '{"__proto__":{"a":1}}'])(
    'malformed JSON: 400',
    async (body) => {
      const answer = await client.request('POST', '/api/v1/actions', { body })
      expect([answer.status, answer.body]).toEqual([400, sentence])
    },
  )

  test('an address with a broken escape: 400, and the sentence says so', async () => {
    const answer = await client.request('GET', '/api/v1/actions/%ZZ')
    expect([answer.status, answer.body]).toEqual([
      400,
      errorBody('malformed', expect.stringContaining('address')),
    ])
  })

  test.each([
    ['what is no HTTP', 'NONSENSE\r\n\r\n', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is answered in the form of every error', async (_what, sent, status) => {
    const { head, body } = await overSocket(sent)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/)
    expect(body).toEqual(sentence)
  })
})

describe('404', () => {
  testRows(['/api/v1/no-such-thing', '/api/v2/actions', '/api/v1/actions/1/execute', '/api/'])(
    'for a caller with a key, where there is nothing',
    async (path) => {
      const answer = await client.request('GET', path)
      expect([answer.status, answer.body]).toMatchObject([404, sentence])
    },
  )

  testRows([
    '/index.html',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/api/mcp',
    '/.well-known/openid-configuration',
    '/.env',
  ])('as JSON and without a key outside of /api/', async (path) => {
    const response = await fetch(`${gate.api.url}${path}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      expect.stringMatching(/^application\/json/),
    ])
    expect(await response.json()).toEqual(sentence)
    expect(response.headers.get('www-authenticate')).toBeNull()
  })
})

describe('405', () => {
  testRows([
    ['PUT', '/api/v1/capability?email=a', 'GET'],
    ['DELETE', '/api/v1/actions', 'POST, GET'],
    ['PATCH', '/api/v1/actions/1', 'GET'],
    ['GET', '/api/v1/actions/1/confirm', 'POST'],
    ['GET', '/api/v1/actions/1/cancel', 'POST'],
    ['POST', '/api/v1/conversations/site/files', 'GET'],
    ['DELETE', '/api/v1/conversations/site/files/read', 'GET'],
    ['GET', '/api/mcp', 'POST'],
    ['DELETE', '/api/mcp', 'POST'],
    ['POST', '/healthz', 'GET'],
    ['DELETE', '/llms.txt', 'GET'],
  ])('says what is allowed', async (method, path, allow) => {
    const answer = await client.request(method, path)
    expect([answer.status, answer.headers.get('allow'), answer.body]).toEqual([405, allow, sentence])
  })

  test('is said to every method that Node reads, whatever comes with it', async () => {
    const rest = [
      `authorization: Bearer ${account.key}`,
      'content-type: text/plain',
      'content-length: 1',
      'connection: close',
    ]
    for (const path of [
      '/api/v1/actions/1',
      '/api/mcp',
      '/healthz',
      '/integrations/connect/x',
      '/decide/x',
      '/checkout/done',
    ])
      for (const method of unusual) {
        const request = [`${method} ${path} HTTP/1.1`, 'host: a', ...rest].join('\r\n')
        const { head } = await overSocket(`${request}\r\n\r\nx`)
        expect([method, path, head.split('\r\n')[0]]).toEqual([
          method,
          path,
          'HTTP/1.1 405 Method Not Allowed',
        ])
        expect(head).toMatch(/^allow: (GET|POST)/im)
      }
  })

  test('is not said at an address that is not there: 404, whatever the body is', async () => {
    for (const method of ['POST', ...unusual]) {
      const answer = await overSocket(
        `${method} /api/v1/no-such-thing HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${account.key}\r\ncontent-type: application/json\r\ncontent-length: 1\r\nconnection: close\r\n\r\n{`,
      )
      expect([method, answer.head.split('\r\n')[0]]).toEqual([method, 'HTTP/1.1 404 Not Found'])
    }
  })
})

describe('413 and 415', () => {
  test('a body above 1 MiB is refused, one of just that size is read', async () => {
    const json = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
    const statuses = await Promise.all(
      [1_048_577, 1_048_576].map(async (bytes) => {
        const answer = await client.request('POST', '/api/v1/actions', { body: json(bytes) })
        return [answer.status, Object.keys(answer.body), answer.status === 413 && answer.body.error]
      }),
    )
    expect(statuses).toEqual([
      [413, ['error', 'code', 'request_id'], 'The body is larger than 1 MiB.'],
      [422, ['error', 'code', 'request_id'], false],
    ])
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data'])(
    'a body of type %s is refused',
    async (contentType) => {
      for (const path of ['/api/v1/actions', '/api/mcp']) {
        const answer = await client.request('POST', path, {
          body: 'a',
          headers: { 'content-type': contentType },
        })
        expect([answer.status, answer.body]).toEqual([415, sentence])
      }
    },
  )

  test('JSON with a charset is JSON', async () => {
    const body = { kind: 'broadcast', actor, payload: { message: 'Hi.' } }
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect((await client.request('POST', '/api/v1/actions', { body, headers })).status).toBe(201)
  })

  test('a write without any body is refused with 422', async () => {
    expect((await client.request('POST', '/api/v1/actions')).status).toBe(422)
  })
})

describe('429', () => {
  test('a key that asks too often is told when to come back; another key is not affected', async () => {
    const url = await apiWith({ RATE_LIMIT_PER_MINUTE: 3 })
    const [one, other] = [await account.mintKey(), await account.mintKey()]
    const answers = []
    for (let n = 0; n < 4; n++) answers.push(await apiClient(url, one.key).list())
    const refused = await apiClient(url, one.key).request('POST', '/api/mcp', { body: {} })
    expect(answers.map((a) => a.status)).toEqual([200, 200, 200, 429])
    expect(answers[3]!.body).toEqual(
      errorBody('rate_limited', expect.stringContaining('3 requests per minute')),
    )
    expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.status).toBe(429)
    expect((await apiClient(url, other.key).list()).status).toBe(200)
  })

  test('an address that fails to authenticate too often is told when to come back, a valid key from it is served', async () => {
    const url = await apiWith({})
    const statuses: number[] = []
    for (let n = 0; n < 121; n++) statuses.push((await fetch(`${url}/api/v1/actions`)).status)
    const last = await fetch(`${url}/api/v1/actions`)
    expect([statuses.slice(0, 120), statuses[120]]).toEqual([Array.from({ length: 120 }, () => 401), 429])
    expect([last.status, Number(last.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect((await apiClient(url, account.key).list()).status).toBe(200)
  })
})

describe('503', () => {
  test('with the database down every operation says so, and when to come back; no key is still 401', async () => {
    const url = await apiWith({ DATABASE_URL: `postgres://gate:x@127.0.0.1:${await freePort(0)}/gate` })
    const down = apiClient(url, account.key)
    const answers = [
      await down.capability(actor),
      await down.propose(actor, 'Hi.'),
      await down.list(),
      await down.request('GET', '/api/v1/conversations/site/files?email=ada@example.com'),
      await down.confirm(1, actor),
      await down.request('POST', '/api/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
    ]
    expect(answers.map((a) => [a.status, a.headers.get('retry-after'), a.body])).toEqual(
      answers.map(() => [
        503,
        expect.stringMatching(/^[1-9]\d*$/),
        errorBody('unavailable', expect.stringContaining('database')),
      ]),
    )
    expect((await fetch(`${url}/api/v1/actions`)).status).toBe(401)
    const restore = shorten({ temporalConnectMs: 30_000 })
    const ready = await down.request('GET', '/readyz')
    restore()
    expect([ready.status, ready.body]).toEqual([
      503,
      { status: 'not ready', database: 'unreachable', temporal: 'up' },
    ])
    expect((await down.request('GET', '/healthz')).status).toBe(200)
  })
})

describe('health', () => {
  test('endless readiness probes make it check once a second', async () => {
    const deps = makeDeps(gate.config, { sandboxUrl: gate.sandbox.url, log })
    let looks = 0
    const isUp = () => {
      looks++
      return deps.workflows.isUp()
    }
    const api = await startApi({ ...deps, workflows: { ...deps.workflows, isUp } })
    apis.push({ deps, api })
    const ask = async () => (await fetch(`${api.url}/readyz`)).status
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array.from({ length: 20 }, () => 200))
    expect([await ask(), looks]).toEqual([200, 1])
    await until('it looks again', async () => (await ask()) === 200 && looks > 1)
  })

  test('/healthz and /readyz need no key and tell nothing beyond the parts', async () => {
    const answers = await Promise.all(
      ['/healthz', '/readyz'].map(async (path) => {
        const response = await fetch(`${gate.api.url}${path}`)
        return [response.status, await response.json()]
      }),
    )
    expect(answers).toEqual([
      [200, { status: 'ok' }],
      [200, { status: 'ready', database: 'up', temporal: 'up' }],
    ])
  })

  test('a database that was not migrated is 503, with what to do', async () => {
    const url = await apiWith({
      DATABASE_URL: Object.assign(new URL(gate.database.serviceUrl), { pathname: '/postgres' }).href,
    })
    const answer = await apiClient(url, '').request('GET', '/readyz')
    expect([answer.status, answer.body.database]).toEqual([503, expect.stringContaining('gate migrate')])
  })

  test('a role that owns the tables is 503', async () => {
    const url = await apiWith({ DATABASE_URL: gate.database.ownerUrl })
    const answer = await apiClient(url, '').request('GET', '/readyz')
    expect([answer.status, answer.body.database]).toEqual([503, expect.stringContaining('role')])
  })
})

test('the OpenAPI description and llms.txt need no key', async () => {
  for (const path of ['/llms.txt', '/api/openapi.json']) {
    expect((await fetch(`${gate.api.url}${path}`)).status).toBe(200)
  }
})

test('every answer carries an X-Request-Id of its own, also over MCP and on errors, and the log repeats it', async () => {
  const answers = [
    await client.list(),
    await client.list({ limit: '0' }),
    await client.get(4_711),
    await rpc(client, 'tools/list'),
    await client.request('POST', '/api/mcp', { body: '{' }),
    await client.request('GET', '/healthz'),
    await client.request('GET', '/nothing'),
  ]
  const ids = answers.map((a) => a.headers.get('x-request-id') ?? '')
  for (const id of ids) {
    expect(id).toMatch(requestId)
    expect(logged.some((line) => line.includes(id))).toBe(true)
  }
  expect(new Set(ids).size).toBe(ids.length)
})

test("a caller's own X-Request-Id is not taken over", async () => {
  const answer = await client.request('GET', '/healthz', { headers: { 'x-request-id': 'mine' } })
  expect(answer.headers.get('x-request-id')).toMatch(requestId)
})

test('an answer to a caller with a key is kept by no cache', async () => {
  expect((await client.list()).headers.get('cache-control')).toBe('no-store')
})

describe('an internal error', () => {
  beforeAll(() => gate.database.asSuperuser('alter table gate.member rename column name to misnamed'))
  afterAll(() => gate.database.asSuperuser('alter table gate.member rename column misnamed to name'))

  test('is 500 with nothing of the inside, and the log says what it was under the same X-Request-Id', async () => {
    const answer = await client.capability(actor)
    expect([answer.status, answer.body]).toEqual([500, errorBody('internal')])
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
    expect(JSON.stringify(answer.body)).not.toMatch(/column|select|gate\.|sql|postgres|\.ts|at /i)
    const line = await lineOf(answer)
    expect(line).toMatchObject({ level: 50, status: 500, code: 'internal', tool: 'check_capability' })
    expect(line.err.message).toContain('does not exist')
  })

  test('over MCP is a refusal with nothing of the inside', async () => {
    const answer = await callTool(client, 'check_capability', actor)
    expect([answer.isError, answer.body]).toEqual([true, errorBody('internal')])
    expect(JSON.stringify(answer.body)).not.toMatch(/column|select|gate\.|sql|postgres|\.ts/i)
    const line = await lineOf(answer)
    expect(line).toMatchObject({ level: 50, code: 'internal', tool: 'check_capability' })
    expect(line.err.message).toContain('does not exist')
  })
})

describe('the line of a request in the log', () => {
  test('names the operation, the action, the account and the key, over REST and over MCP', async () => {
    const proposed = await client.propose(actor, 'For the log.')
    const { id } = proposed.body
    const whose = { account: account.account, key: account.keyId, ms: expect.any(Number) }
    expect(await lineOf(proposed)).toEqual({
      level: 30,
      msg: 'request completed',
      method: 'POST',
      route: '/api/v1/actions',
      tool: 'request_action',
      action: id,
      status: 201,
      ...whose,
    })
    const read = await callTool(client, 'get_action', { id })
    expect(await lineOf(read)).toMatchObject({ level: 30, tool: 'get_action', action: id, ...whose })
    expect(await lineOf(await client.cancel(id, actor))).toMatchObject({
      level: 30,
      tool: 'cancel_action',
      action: id,
    })
  })

  // The client sends no TRACE.
  test.each(unusual.slice(1))('names the method %s that no path has', async (method) => {
    const refused = await client.request(method, '/api/v1/actions')
    expect(await lineOf(refused)).toMatchObject({ method, route: '/api/v1/actions', status: 405 })
    const absent = await client.request(method, '/api/v1/nothing')
    expect(await lineOf(absent)).toMatchObject({ method, route: 'none', status: 404 })
  })

  test('is of level info for an ordinary refusal, with its code', async () => {
    const absent = await client.get(999_999)
    expect(await lineOf(absent)).toMatchObject({ level: 30, status: 404, code: 'not_found', action: 999_999 })
    expect(await lineOf(await callTool(client, 'confirm_action', { id: 999_999, actor }))).toMatchObject({
      level: 30,
      status: 200,
      code: 'not_found',
      tool: 'confirm_action',
      action: 999_999,
    })
    expect(await lineOf(await client.propose(actor, ''))).toMatchObject({ level: 30, code: 'invalid' })
    const unreadable = await client.request('GET', '/api/v1/actions/%zz')
    expect(await lineOf(unreadable)).toMatchObject({ level: 30, status: 400, code: 'malformed' })
    expect(await lineOf(await rpc(client, 'tools/call', { name: 'no_such_tool' }))).toMatchObject({
      level: 30,
      code: 'invalid',
    })
  })

  test('is a warning where a caller is refused before the operation begins', async () => {
    const stranger = await apiClient(gate.api.url, mintKey()).list()
    expect(await lineOf(stranger)).toMatchObject({
      level: 40,
      status: 401,
      code: 'unauthenticated',
      tool: 'list_actions',
    })
    const { key } = await account.mintKey({ networks: ['10.0.0.0/8'] })
    expect(await lineOf(await apiClient(gate.api.url, key).list())).toMatchObject({
      level: 40,
      status: 403,
      code: 'key_network_not_allowed',
    })
    const limited = apiClient(await apiWith({ RATE_LIMIT_PER_MINUTE: 1 }), account.key)
    await limited.list()
    expect(await lineOf(await limited.list())).toMatchObject({ level: 40, status: 429, code: 'rate_limited' })
  })

  test('is an error where the database cannot be used, with what it said', async () => {
    await gate.database.asSuperuser('alter function gate.propose rename to propose_gone')
    const answer = await client.propose(actor, 'For the log.')
    await gate.database.asSuperuser('alter function gate.propose_gone rename to propose')
    expect(answer.status).toBe(503)
    const line = await lineOf(answer)
    expect(line).toMatchObject({ level: 50, msg: 'request failed', code: 'unavailable' })
    expect(line.err.message).toMatch(/function gate\.propose.* does not exist/)
  })

  test('of a probe is written only at level debug, and as a warning if the process is not ready', async () => {
    expect(await lineOf(await client.request('GET', '/readyz'))).toMatchObject({ level: 20, status: 200 })
    const lonely = await apiWith({ DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none` })
    const answer = await apiClient(lonely, account.key).request('GET', '/readyz')
    expect(await lineOf(answer)).toMatchObject({ level: 40, status: 503 })
  })
})

/** The one line of a request, without what every line has. */
async function lineOf({ headers }: { headers: Headers }): Promise<any> {
  const id = headers.get('x-request-id')!
  // Written when the answer has been sent, which the caller may see first.
  // Steps of an action have lines of their own: see test/operations/action-log.test.ts.
  const linesOf = () => logged.filter((line) => line.includes(id) && !line.includes('"step":'))
  await until('the line of the request', async () => linesOf().length > 0)
  const lines = linesOf().map((line) => JSON.parse(line))
  expect(lines).toHaveLength(1)
  const { time: _time, pid: _pid, hostname: _host, request_id: requestId_, ...rest } = lines[0]
  expect(requestId_).toBe(id)
  return rest
}

test('no key and no message ever reaches the log', async () => {
  const bad = mintKey()
  await apiClient(gate.api.url, bad).list()
  await client.propose(actor, 'Not for the log.', 'not-for-the-log-either')
  await client.request('GET', `/api/v1/actions?api_key=${account.key}`)
  await client.request('POST', '/api/v1/actions', { body: `{"api_key":"${account.key}"` })
  const all = logged.join('')
  expect(all).toContain('request completed')
  for (const secret of [account.key, account.key.slice(4, 36), bad, 'Not for the log', 'not-for-the-log']) {
    expect(all).not.toContain(secret)
  }
  expect(all).not.toMatch(/qgk_[0-9A-Za-z]{10}/)
})

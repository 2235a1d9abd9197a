import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { adminWrite } from '../../src/db/admin-write.ts'
import { addUpstream as storeUpstream } from '../../src/db/queries/upstreams/upstreams.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { rewrapSecrets } from '../../src/operations/maintenance/rewrap-secrets.ts'
import { removeUpstream } from '../../src/operations/upstreams/servers.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { callUpstream } from '../../src/upstreams/call-upstream.ts'
import { ringOf } from '../support/connect.ts'
import { type TestUpstream, echoTool, startUpstream } from '../support/upstream.ts'
import { type UpstreamDesk, type UpstreamScene, admin, upstreamScene } from './scene.ts'
import { testRows } from '../support/rows.ts'

let scene: UpstreamScene
let upstream: TestUpstream
let desk: UpstreamDesk
beforeAll(async () => {
  scene = await upstreamScene()
})
const setUp = async () => {
  upstream = await startUpstream([echoTool('read')])
  desk = await scene.desk()
}
beforeEach(setUp)
const tearDown = () => upstream.close()
afterEach(tearDown)
afterAll(() => scene.stop())

const secret = 'Bearer s3cr3t-t0ken'
const stored = async () =>
  JSON.stringify(
    await Promise.all(
      ['gate.upstream', 'gate.upstream_secret', 'gate.upstream_tool', 'gate.ledger'].map((table) =>
        scene.database.asSuperuser(`select row_to_json(t)::text as row from ${table} t`),
      ),
    ),
  )
const withSecrets = () =>
  desk.put({ url: `${upstream.url}?apiKey=qu3ry` }, { headers: [['authorization', secret]] })

test('headers and the query reach the server with every request, and stand nowhere readable', async () => {
  await withSecrets()
  await desk.approve()
  expect(await desk.call('up__read')).toMatchObject({ fate: 'ok' })
  for (const { headers, url } of upstream.requests) {
    expect(headers.authorization).toBe(secret)
    expect(url).toBe('/mcp?apiKey=qu3ry')
  }
  expect(await desk.server()).toMatchObject({ url: upstream.url, headers: ['authorization'] })
  const text = await stored()
  expect(text).toContain(upstream.url)
  for (const word of ['s3cr3t', 'qu3ry', Buffer.from(secret).toString('hex')])
    expect(text).not.toContain(word)
})

test('the address stands in no entry of the ledger', async () => {
  await withSecrets()
  const [{ entry } = { entry: '' }] = await scene.database.asSuperuser(
    `select entry from gate.ledger where account_id = '${desk.account}' and kind = 'upstream_added'`,
  )
  expect(entry).not.toContain('127.0.0.1')
})

test('headers that were moved to another address or another account cannot be decrypted, and nothing is sent', async () => {
  await withSecrets()
  const thief = await startUpstream()
  try {
    await scene.database.asSuperuser(
      `update gate.upstream set url = '${thief.url}', connection = gen_random_uuid() where account_id = '${desk.account}'`,
    )
    expect(await desk.refresh()).toMatchObject({
      state: 'failed',
      why: expect.stringContaining('cannot be decrypted'),
    })
    const other = await scene.desk()
    await other.put(thief)
    await scene.database.asSuperuser(
      `insert into gate.upstream_secret select '${other.account}', upstream, ciphertext, wrapped_key, kid
       from gate.upstream_secret where account_id = '${desk.account}'`,
    )
    await scene.deps.upstreams.connections.close()
    thief.requests.length = 0
    expect(await other.refresh()).toMatchObject({ state: 'failed' })
    expect(thief.requests).toEqual([])
  } finally {
    await thief.close()
  }
})

test('secrets are wrapped again under a new key, and still open', async () => {
  await withSecrets()
  const ring = parseKeyRing(ringOf('k2', 'k1'))
  for await (const page of rewrapSecrets(scene.database.db, ring))
    expect(page.failures.filter(({ place }) => place.includes(desk.account))).toEqual([])
  const [row] = await scene.database.asSuperuser(
    `select kid from gate.upstream_secret where account_id = '${desk.account}'`,
  )
  expect(row).toEqual({ kid: 'k2' })
})

test('an account sees, calls and changes no server of another', async () => {
  await desk.put(upstream)
  await desk.approve()
  const tool = await desk.tool('up__read')
  const other = await scene.desk()
  expect(await other.served()).toEqual([])
  const signal = new AbortController().signal
  expect(await callUpstream(scene.deps, { ...tool, account: other.account }, {}, { signal })).toMatchObject({
    fate: 'not_done',
  })
  await expect(other.server()).rejects.toThrow(/no MCP server named up/)
  await expect(other.setRule('read', { rule: 'allow' })).rejects.toThrow(/no MCP server named up/)
  await expect(removeUpstream(admin(scene, other.account), 'up')).rejects.toThrow(/no MCP server named up/)
  expect(await other.refresh()).toEqual({ state: 'skipped' })
  expect(upstream.calls).toEqual([])
  // The same name is another server there, with a connection of its own.
  await other.put(upstream, { headers: [['x-account', 'other']] })
  await other.approve()
  await desk.call('up__read')
  await other.call('up__read')
  const calls = upstream.requests.filter(({ body }) => body?.method === 'tools/call')
  expect(calls.map(({ headers }) => headers['x-account'])).toEqual([undefined, 'other'])
  expect(calls[0]!.headers['mcp-session-id']).not.toBe(calls[1]!.headers['mcp-session-id'])
})

testRows([
  'https://169.254.169.254/latest',
  'https://[::1]/mcp',
  'https://[::ffff:10.0.0.1]/mcp',
  'https://10.1.2.3/mcp',
  'https://100.64.0.1/mcp',
  'https://0/mcp',
  'http://mcp.example.com/mcp',
  'https://user:secret@mcp.example.com/mcp',
  'ftp://mcp.example.com/mcp',
])('a server in a closed network is refused when it is added', async (url) => {
  await expect(desk.put({ url })).rejects.toMatchObject({ code: 'invalid', param: 'url' })
  await expect(desk.server()).rejects.toThrow()
})

test('an address that leads into a private network is refused when it is called, and nothing is sent', async () => {
  const closed = await upstreamScene({ EXECUTOR_ALLOW: '10.9.9.9' })
  try {
    // Allowed when it was added, and not any more.
    const other = await closed.desk()
    expect(await other.put(upstream)).toEqual({
      state: 'failed',
      why: 'its address is not public, and EXECUTOR_ALLOW does not list it',
    })
    expect(upstream.requests).toEqual([])
  } finally {
    await closed.stop()
  }
})

testRows([301, 302, 303, 307, 308], [tearDown, setUp])(
  'a redirect is not followed, not even to the same server',
  async (status) => {
    const elsewhere = await startUpstream()
    try {
      for (const location of [elsewhere.url, '/other']) {
        upstream.instead = ({ url }, response) => {
          if (url !== '/mcp') return false
          response.writeHead(status, { location }).end()
          return true
        }
        const name = location === '/other' ? 'same' : 'up'
        expect(await desk.put(upstream, { name })).toMatchObject({
          state: 'failed',
          why: expect.stringContaining('redirect'),
        })
      }
      expect(elsewhere.requests).toEqual([])
      expect(upstream.requests.map(({ url }) => url)).toEqual(['/mcp', '/mcp'])
    } finally {
      await elsewhere.close()
    }
  },
)

test('a removed server takes its tools, rules and secrets with it, and one that is added again is reviewed again', async () => {
  await withSecrets()
  await desk.approve()
  await desk.setRule('read', { rule: 'allow' })
  const tool = await desk.tool('up__read')
  await removeUpstream(admin(scene, desk.account), 'up')
  expect(await desk.served()).toEqual([])
  const signal = new AbortController().signal
  expect(await callUpstream(scene.deps, tool, {}, { signal })).toMatchObject({ fate: 'not_done' })
  await desk.put(upstream)
  expect(await desk.tool('up__read')).toMatchObject({ state: 'unreviewed', rule: { rule: 'confirm' } })
  expect((await desk.server()).headers).toEqual([])
})

test('no administrator of an account adds a command: only the command line does', async () => {
  const command = {
    ...adminWrite(desk.account, Buffer.alloc(32)),
    upstream: 'shell',
    transport: 'stdio' as const,
    url: null,
    command: 'bash',
    headers: [],
    sealed: null,
    upstreamsMax: 20,
    dueMs: 0,
  }
  await expect(storeUpstream(scene.database.db, command)).rejects.toThrow(/only the command line/)
})

const ofAccount = (statement: string) => `${statement} where account_id = '${desk.account}'`
testRows(
  [
    ['a rule', `update gate.upstream_tool set rule = '{"rule":"allow"}'`],
    ['a removed rule', 'update gate.upstream_tool set rule = null'],
    [
      'a review of another definition',
      `update gate.upstream_tool set definition = '{}', hash = encode(sha256('{}'), 'hex'), reviewed_definition = '{}', reviewed_hash = encode(sha256('{}'), 'hex')`,
    ],
    [
      'a lifted quarantine',
      'update gate.upstream_tool set reviewed_definition = definition, reviewed_hash = hash, quarantined_at = null',
    ],
    ['an address', `update gate.upstream set url = 'https://evil.example/mcp'`],
    ['a list of headers', `update gate.upstream set headers = '{}'`],
    ['a removed server', 'delete from gate.upstream'],
  ],
  [tearDown, setUp],
)('what was changed in the database behind the gate is found by the verification', async (_, statement) => {
  await withSecrets()
  await desk.approve()
  await desk.setRule('read', { rule: 'deny' })
  upstream.tools = [echoTool('read', { description: 'Another.' })]
  await desk.refresh()
  expect(await verifyLedger(scene.database.db, desk.account)).toMatchObject({ ok: true })
  await scene.database.asSuperuser(ofAccount(statement))
  expect(await verifyLedger(scene.database.db, desk.account)).toMatchObject({
    ok: false,
    place: 'upstream up',
  })
})

import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '../../src/limits.ts'
import { until } from '../support/until.ts'
import { type UpstreamDesk, type UpstreamScene, upstreamScene } from './scene.ts'
import { testRows } from '../support/rows.ts'

// A real program that speaks MCP on its standard input and output, with the SDK's own server.
const program = `
import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
appendFileSync(process.env.PIDS, process.pid + '\\n')
const server = new McpServer({ name: 'stdio', version: '1' })
server.registerTool('env', { description: 'Its environment.' }, () => ({
  content: [{ type: 'text', text: JSON.stringify(Object.keys(process.env).sort()) }],
}))
server.registerTool('flood', { description: 'Too much.' }, () => ({
  content: [{ type: 'text', text: 'a'.repeat(2_000_000) }],
}))
server.registerTool('die', { description: 'Ends.' }, () => process.exit(1))
await server.connect(new StdioServerTransport())
`

const sdk = new URL('../../node_modules/@modelcontextprotocol/sdk/dist/esm/', import.meta.url).href

let folder: string
let scene: UpstreamScene
let desk: UpstreamDesk
const file = (name: string) => join(folder, name)
const commands = (given: Record<string, unknown>) =>
  writeFileSync(file('commands.json'), JSON.stringify(given))
const pids = () => readFileSync(file('pids'), 'utf8').trim().split('\n').map(Number)
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'upstream-'))
  writeFileSync(file('server.mjs'), program.replaceAll('@modelcontextprotocol/sdk/', sdk))
  writeFileSync(file('pids'), '')
  process.env['GATE_STDIO_TEST_SECRET'] = 'hidden'
  scene = await upstreamScene({ UPSTREAM_COMMANDS: file('commands.json') })
})
const setUp = async () => {
  desk = await scene.desk()
  commands({ here: { command: process.execPath, args: [file('server.mjs')], env: { PIDS: file('pids') } } })
}
beforeEach(setUp)
afterAll(async () => {
  await scene.stop()
  delete process.env['GATE_STDIO_TEST_SECRET']
})

test('a command of the operator is started, its tools are pinned and called, and it ends with the gate', async () => {
  expect(await desk.put({ command: 'here' })).toEqual({ state: 'read', tools: 3, quarantined: [] })
  await desk.approve()
  const outcome = await desk.call('up__env')
  expect(outcome).toMatchObject({ fate: 'ok' })
  const names = JSON.parse((outcome.result!.content[0] as { text: string }).text) as string[]
  expect(names).toContain('PATH')
  expect(names).not.toContain('GATE_STDIO_TEST_SECRET')
  expect(await desk.server()).toMatchObject({
    transport: 'stdio',
    server: { name: 'stdio', protocol: '2025-11-25' },
  })
  const [pid] = pids()
  expect(pids()).toHaveLength(1)
  await scene.deps.upstreams.connections.close()
  await until('it ended', async () => !isAlive(pid!))
})

test('a command that only readings of its tools used is started again, so that its new version is read', async () => {
  await desk.put({ command: 'here' })
  await desk.approve()
  await desk.refresh()
  const before = pids().length
  const now = Date.now()
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + limits.upstreamIdleMs + 1)
  await desk.call('up__env')
  expect(await desk.refresh()).toMatchObject({ state: 'read' })
  expect(pids()).toHaveLength(before)
  clock.mockImplementation(() => now + 2 * limits.upstreamIdleMs + 2)
  writeFileSync(
    file('server.mjs'),
    readFileSync(file('server.mjs'), 'utf8').replace('Its environment.', 'Other.'),
  )
  expect(await desk.refresh()).toMatchObject({ state: 'read', quarantined: ['env'] })
  expect(pids()).toHaveLength(before + 1)
  await until('the former one ended', async () => !isAlive(pids()[before - 1]!))
  clock.mockRestore()
})

test('a command that ends in a call leaves it unknown, and is started again for the next one', async () => {
  await desk.put({ command: 'here' })
  await desk.approve()
  expect(await desk.call('up__die')).toMatchObject({ fate: 'unknown' })
  expect(await desk.call('up__env')).toMatchObject({ fate: 'ok' })
})

test('a command that was changed in the file is started again, and one that was taken out is used no more', async () => {
  await desk.put({ command: 'here' })
  await desk.approve()
  const before = pids().at(-1)!
  const changed = { PIDS: file('pids'), OTHER: '1' }
  commands({ here: { command: process.execPath, args: [file('server.mjs')], env: changed } })
  const { result } = await desk.call('up__env')
  expect((result!.content[0] as { text: string }).text).toContain('OTHER')
  expect(pids().at(-1)).not.toBe(before)
  commands({})
  expect(await desk.call('up__env')).toMatchObject({
    fate: 'not_done',
    why: expect.stringMatching(/has no command here/),
  })
})

test('a command that answers too much is ended, and the call is unknown', async () => {
  await desk.put({ command: 'here' })
  await desk.approve()
  expect(await desk.call('up__flood')).toMatchObject({ fate: 'unknown' })
  expect(await desk.call('up__env')).toMatchObject({ fate: 'ok' })
})

testRows<[string, Record<string, unknown>, RegExp]>(
  [
    ['is not in the file', {}, /has no command here/],
    [
      'is for another account',
      { here: { command: 'true', accounts: ['acct_0000000000000000'] } },
      /has no command here/,
    ],
    ['cannot be started', { here: { command: '/nowhere/at/all' } }, /ENOENT/],
    [
      'has a field that nobody knows',
      { here: { command: 'true', shell: true } },
      /^the file of UPSTREAM_COMMANDS cannot be used$/,
    ],
    ['is no MCP server', { here: { command: 'cat' } }, /./],
    [
      'ends at once',
      { here: { command: 'sh', args: ['-c', 'echo no such folder >&2; exit 1'] } },
      /^its program ended before it answered; the operator of the gate can run it by hand to see what it prints$/,
    ],
  ],
  [setUp],
)('a command that does not fit is not used', async (_, given, why) => {
  commands(given)
  expect(await desk.put({ command: 'here' })).toMatchObject({
    state: 'failed',
    why: expect.stringMatching(why),
  })
})

// Writes its answers by hand, also in pieces and several at once.
const byHand = `
import { createInterface } from 'node:readline'
const tools = '{"tools":[{"name":"id","inputSchema":{"type":"object"}},' +
  '{"name":"big","inputSchema":{"type":"object","maxProperties":12345678901234567890}}]}'
const initialized = '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}'
const results = { initialize: initialized, 'tools/list': tools }
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) continue
  const result = results[method] ?? '{"content":[],"structuredContent":{"id":12345678901234567890}}'
  const text = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1e999}}\\r\\n' +
    '{"jsonrpc":"2.0","id":' + id + ',"result":' + result + '}\\n'
  for (const part of [text.slice(0, 40), text.slice(40)]) process.stdout.write(part)
}
`

test('the output of a program is read as exactly as an answer over HTTP', async () => {
  writeFileSync(file('by-hand.mjs'), byHand)
  commands({ hand: { command: process.execPath, args: [file('by-hand.mjs')] } })
  expect(await desk.put({ command: 'hand' })).toEqual({ state: 'read', tools: 1, quarantined: [] })
  const { refused } = await desk.server()
  expect(refused).toEqual([{ tool: 'big', why: expect.stringContaining('12345678901234567890 is beyond') }])
  await desk.approve()
  expect(await desk.call('up__id')).toEqual({
    fate: 'tool_error',
    why: expect.stringMatching(/^its answer cannot be kept exactly: the number 12345678901234567890/),
  })
})

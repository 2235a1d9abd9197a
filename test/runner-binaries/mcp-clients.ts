import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { type Program, inspector, mcpRemote, python } from '../support/mcp-programs.ts'
import { type McpWire, startMcpWire } from '../support/mcp-wire.ts'
import type { ToolCall } from '../support/fake-models.ts'
import type { DrivenRunner } from '../support/runner-binaries.ts'
import { type DrivenHome, makeHome, run } from '../support/runner-run.ts'

// The programs that people connect, each as its documentation says, with a key in a header.

let gate: TestGate
let open: OpenBroadcast
let wire: McpWire
beforeAll(async () => {
  gate = await startGate({ workers: false })
  open = await gate.openBroadcast()
})
afterAll(() => gate.stop())
beforeEach(async () => {
  wire = await startMcpWire(() => gate.api.url)
})
afterEach(() => wire.close())

/** The revisions by which the tools were listed and called. */
const revisions = () =>
  ['tools/list', 'tools/call'].map((method) => {
    const of = wire.seen.find((message) => message.startsWith(method))
    return of?.split(' ')[1]
  })

const modern = '2026-07-28'

test.each<[string, Program, revision: string]>([
  ['Python 2.3.0, negotiating', python('2.3.0', 'auto'), modern],
  ['Python 2.3.0, of 2026-07-28 alone', python('2.3.0', modern), modern],
  ['Python 2.3.0, with initialize', python('2.3.0', 'legacy'), '2025-11-25'],
  ['Python 2.2.0, negotiating', python('2.2.0', 'auto'), modern],
  ['Python 1.30.0', python('1.30.0', ''), '2025-11-25'],
  ['the Inspector, negotiating', inspector('auto'), modern],
  ['the Inspector, of 2026-07-28 alone', inspector('modern'), modern],
  ['the Inspector, with initialize', inspector('legacy'), '2025-11-25'],
  ['mcp-remote', mcpRemote, '2025-11-25'],
])('%s lists the tools and calls one', async (_which, program, revision) => {
  const home = mkdtempSync(join(tmpdir(), 'mcp-client-'))
  const listed = await program({ url: wire.url, key: open.client.key, email: open.actor.email, home })
  rmSync(home, { recursive: true, force: true })
  expect(listed.tools).toContain('request_action')
  expect(JSON.parse(listed.text)).toMatchObject({ tier: 'guarded_write' })
  expect(revisions()).toEqual([revision, revision])
})

interface Connected {
  /** The tool as its model calls it. */
  calls: Omit<ToolCall, 'input'>
  revision: string
  connect(home: DrivenHome, to: { url: string; authorization: string }): Promise<unknown>
  more?: string[]
}

const changeJson = (path: string, change: object): void =>
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }))

const agents: Record<DrivenRunner, Connected> = {
  claude: {
    calls: { name: 'mcp__gate__check_capability' },
    revision: modern,
    more: ['--allowedTools', 'mcp__gate__check_capability'],
    connect({ program, env, work }, { url, authorization }) {
      // Its model is offered every tool from its first words on.
      Object.assign(env, { ENABLE_TOOL_SEARCH: 'false', MCP_CONNECTION_NONBLOCKING: '0' })
      return promisify(execFile)(
        program,
        ['mcp', 'add', '--transport', 'http', 'gate', url, '--header', `Authorization: ${authorization}`],
        { env, cwd: work },
      )
    },
  },
  codex: {
    calls: { name: 'check_capability', namespace: 'mcp__gate' },
    revision: '2025-06-18',
    async connect({ home }, { url, authorization }) {
      const path = join(home, '.codex/config.toml')
      const server = `[mcp_servers.gate]\nurl = "${url}"\nhttp_headers = { Authorization = "${authorization}" }\n`
      writeFileSync(path, `${readFileSync(path, 'utf8')}${server}`)
    },
  },
  gemini: {
    calls: { name: 'mcp_gate_check_capability' },
    revision: '-',
    async connect({ home }, { url, authorization }) {
      const server = { httpUrl: url, headers: { Authorization: authorization }, trust: true }
      changeJson(join(home, '.gemini/settings.json'), { mcpServers: { gate: server } })
    },
  },
  opencode: {
    calls: { name: 'gate_check_capability' },
    revision: '2025-11-25',
    async connect({ home }, { url, authorization }) {
      const server = { type: 'remote', url, headers: { Authorization: authorization }, enabled: true }
      changeJson(join(home, '.config/opencode/opencode.json'), { mcp: { gate: server } })
    },
  },
}

test.each(Object.entries(agents) as [DrivenRunner, Connected][])(
  '%s lists the tools, and its model gets the answer of one',
  async (runner, { calls, revision, connect, more = [] }) => {
    const command = { ...calls, input: { email: open.actor.email } }
    const home = await makeHome(runner, { command, times: 1 })
    try {
      await connect(home, { url: wire.url, authorization: `Bearer ${open.client.key}` })
      await run(home, ...more)
      expect(home.models.told.at(-1)).toContain('guarded_write')
      expect(revisions()).toEqual([revision, revision])
    } finally {
      await home.close()
    }
  },
)

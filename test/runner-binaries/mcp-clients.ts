import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { connectAgent } from '../support/connect-agent.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { type Program, inspector, mcpRemote, python } from '../support/mcp-programs.ts'
import { type McpWire, startMcpWire } from '../support/mcp-wire.ts'
import type { DrivenRunner } from '../support/runner-binaries.ts'
import { makeHome, run } from '../support/runner-run.ts'
import { toolCalls } from '../support/runner-settings.ts'

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

/** The revision by which each lists and calls. */
const revisionOf: Record<DrivenRunner, string> = {
  claude: modern,
  codex: '2025-06-18',
  gemini: '-',
  opencode: '2025-11-25',
}

test.each(Object.entries(revisionOf) as [DrivenRunner, string][])(
  '%s lists the tools, and its model gets the answer of one',
  async (runner, revision) => {
    const command = { ...toolCalls[runner], input: { email: open.actor.email } }
    const home = await makeHome(runner, { command, times: 1 })
    try {
      await connectAgent(home, { url: wire.url.replace(/\/api\/mcp$/, ''), key: open.client.key })
      await run(home, ...(runner === 'claude' ? ['--allowedTools', toolCalls.claude.name] : []))
      expect(home.models.told.at(-1)).toContain('guarded_write')
      expect(revisions()).toEqual([revision, revision])
    } finally {
      await home.close()
    }
  },
)

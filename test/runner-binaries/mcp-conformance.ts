import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { conformance, runNpmProgram } from '../support/mcp-programs.ts'
import { type McpWire, startMcpWire } from '../support/mcp-wire.ts'

let gate: TestGate
let open: OpenBroadcast
let wire: McpWire
let home: string
beforeAll(async () => {
  // The program has no option for a header.
  wire = await startMcpWire(
    () => gate.api.url,
    () => open.client.key,
  )
  gate = await startGate({ workers: false, env: { PUBLIC_URL: new URL(wire.url).origin } })
  open = await gate.openBroadcast()
  home = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await wire.close()
  await gate.stop()
})

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'SKIPPED' | 'INFO' | 'WARNING'
  errorMessage?: string
}

/** What the suite asks of a server that offers its fixtures, or more than tools. */
const needsFixture =
  /^Not testable|Unknown tool (test_|greet|slow_|failing_|protocol_error_|confirm_delete|multi_input)|^Tool 'json_schema_2020_12_tool' not found|could not get initial InputRequiredResult|^Expected InputRequiredResult/
const isNotOffered =
  /(prompts|resources|completion)\/[a-z/]+ (was not found|returned JSON-RPC error -32601)|Method not found$/

const isServed = ({ errorMessage = '' }: Check) =>
  !needsFixture.test(errorMessage) && !isNotOffered.test(errorMessage)

/** Runs every scenario that a revision requires of servers, and those of its extensions. */
async function checksOf(revision: string): Promise<Map<string, Check[]>> {
  const folder = join(home, revision)
  const args = ['server', '--url', wire.url, '--requirements', revision, '-o', folder]
  await runNpmProgram(conformance, args, home)
  return new Map(
    readdirSync(folder).map((name) => [
      name.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1'),
      JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[],
    ]),
  )
}

test.each([
  [
    '2026-07-28',
    {
      'server-stateless': 21,
      'http-header-validation': 14,
      'tools-list': 4,
      caching: 4,
      'dns-rebinding-protection': 2,
      'server-sse-multiple-streams': 1,
    },
  ],
  ['2025-11-25', { 'server-initialize': 2, ping: 2, 'tools-list': 3, 'dns-rebinding-protection': 2 }],
])('every check of %s passes that the tools of the gate can be asked', async (revision, least) => {
  const scenarios = await checksOf(revision)
  // Those of tasks have fixtures of their own.
  const scored = [...scenarios].filter(([name]) => !name.startsWith('tasks-'))
  const failed = scored.flatMap(([name, checks]) =>
    checks
      .filter((check) => check.status === 'FAILURE' && isServed(check))
      .map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage}`),
  )
  expect(failed).toEqual([])
  const passed = Object.fromEntries(
    Object.keys(least).map((name) => [
      name,
      scenarios.get(name)?.filter(({ status }) => status === 'SUCCESS').length,
    ]),
  )
  expect(passed).toEqual(least)
})

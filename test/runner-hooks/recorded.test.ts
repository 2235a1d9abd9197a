import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { testRows } from '../support/rows.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'

/**
 * What the hooks of these programs sent about the shell command of a model on loopback: before it, after it, after one that
 * failed, and before a tool of an MCP server named `my_notes`. Only paths were replaced.
 */
const recorded = {
  claude: { version: '2.1.330', tool: 'Bash', mcp: 'mcp__my_notes__write_note', mcpServer: 'my_notes' },
  codex: { version: '0.169.0', tool: 'Bash', mcp: 'mcp__my_notes__write_note', mcpServer: 'my_notes' },
  gemini: {
    version: '0.61.0',
    tool: 'run_shell_command',
    mcp: 'mcp_my_notes_write_note',
    mcpServer: 'my_notes',
  },
  opencode: { version: '1.18.33', tool: 'bash', mcp: 'my_notes_write_note', mcpServer: null },
} as const

const rows = Object.entries(recorded).map(([name, facts]) => {
  const runner = name as keyof typeof recorded
  const bodies = JSON.parse(
    readFileSync(join(projectRoot, `test/runner-hooks/bodies/${runner}.json`), 'utf8'),
  )
  const { version } = facts
  const { readCall, readOutcome } = runnerDialects[runner]
  return { runner, ...facts, bodies, readOutcome, readCall: (body: unknown) => readCall(body, { version }) }
})

testRows(rows)('a call is read whole', ({ runner, version, tool, bodies, readCall }) => {
  expect(readCall(bodies.before)).toEqual({
    runner,
    runnerVersion: version,
    session: expect.stringMatching(/^\S{30,36}$/),
    callId: { claude: 'toolu_fake', codex: 'call_fake', gemini: null, opencode: 'call_fake' }[runner],
    agentId: null,
    tool,
    input: {
      command: 'touch /machine/work/made',
      ...(runner !== 'codex' && { description: 'Run' }),
    },
    cwd: '/machine/work',
    mcpServer: null,
  })
})

testRows(rows)(
  'an outcome is of the session, call, tool and input that were asked about',
  ({ tool, bodies, readCall, readOutcome }) => {
    const { session, callId, input } = Object(readCall(bodies.before))
    expect(readOutcome(bodies.after)).toEqual({ session, callId, tool, input, outcome: 'ran' })
  },
)

testRows(rows)(
  'a command that ended with an error ran, except where the runner itself calls it a failure',
  ({ runner, bodies, readOutcome }) => {
    expect(readOutcome(bodies.failed)).toMatchObject({ outcome: runner === 'claude' ? 'failed' : 'ran' })
  },
)

testRows(rows)(
  'a call of an MCP tool names its server where the runner does',
  ({ mcp, mcpServer, bodies, readCall }) => {
    expect(readCall(bodies.mcp)).toMatchObject({ tool: mcp, input: { text: 'hi' }, mcpServer })
  },
)

import { describe, expect, test } from '@jest/globals'
import type { Runner } from '../../src/gate/runner-calls/tool-call.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'

const readCall = (runner: Runner, body: unknown) =>
  runnerDialects[runner].readCall(body, { version: '1.2.3' })

const claudeBody = {
  session_id: 'session-1',
  transcript_path: '/home/ada/.claude/projects/work/session-1.jsonl',
  cwd: '/work',
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'rm -rf build', description: 'Remove the build' },
  tool_use_id: 'toolu_01',
}

const claudeCall = {
  runner: 'claude',
  runnerVersion: '1.2.3',
  session: 'session-1',
  callId: 'toolu_01',
  agentId: null,
  tool: 'Bash',
  input: { command: 'rm -rf build', description: 'Remove the build' },
  cwd: '/work',
  mcpServer: null,
}

test('Claude Code: a call is read with its session, id, tool, input and folder', () => {
  expect(readCall('claude', claudeBody)).toEqual(claudeCall)
})

test('Claude Code: a call of a subagent names the subagent', () => {
  expect(readCall('claude', { ...claudeBody, agent_id: 'agent-7', agent_type: 'Explore' })).toMatchObject({
    agentId: 'agent-7',
  })
})

test.each([
  [
    'the field mcp_server',
    { tool_name: 'mcp__a__b__c', mcp_server: { name: 'a  b', source: 'user' } },
    'a  b',
  ],
  ['the name of the tool', { tool_name: 'mcp__github__create_issue' }, 'github'],
  ['neither, where the name is ambiguous', { tool_name: 'mcp__github__evil__create' }, null],
  ['neither, where it is no MCP tool', { tool_name: 'Bash' }, null],
])('Claude Code: the MCP server comes from %s', (_from, fields, mcpServer) => {
  expect(readCall('claude', { ...claudeBody, ...fields })).toMatchObject({ mcpServer })
})

test('Codex: a call is read in the form of Claude Code, with its own fields ignored', () => {
  const body = { ...claudeBody, turn_id: '3', model: 'gpt-5', permission_mode: 'bypassPermissions' }
  expect(readCall('codex', body)).toEqual({ ...claudeCall, runner: 'codex' })
})

const geminiBody = {
  session_id: 'session-1',
  cwd: '/work',
  timestamp: '2026-11-22T10:00:00.000Z',
  hook_event_name: 'BeforeTool',
  tool_name: 'run_shell_command',
  tool_input: { command: 'ls' },
}

test('Gemini CLI: a call is read without an id', () => {
  expect(readCall('gemini', geminiBody)).toEqual({
    ...claudeCall,
    runner: 'gemini',
    callId: null,
    tool: 'run_shell_command',
    input: { command: 'ls' },
  })
})

test.each([
  ['mcp_context', { tool_name: 'mcp_my_files_read', mcp_context: { server_name: 'my_files' } }, 'my_files'],
  ['the name of the tool', { tool_name: 'mcp_files_read' }, 'files'],
  ['neither, where the name is ambiguous', { tool_name: 'mcp_my_files_read' }, null],
])('Gemini CLI: the MCP server comes from %s', (_from, fields, mcpServer) => {
  expect(readCall('gemini', { ...geminiBody, ...fields })).toMatchObject({ mcpServer })
})

describe('Cursor', () => {
  const every = {
    conversation_id: 'conversation-1',
    generation_id: 'generation-1',
    cursor_version: '2.0.77',
    workspace_roots: ['/work', '/other'],
    user_email: 'ada@example.com',
  }
  const call = {
    runner: 'cursor',
    runnerVersion: '2.0.77',
    session: 'conversation-1',
    callId: null,
    agentId: null,
    cwd: '/work',
    mcpServer: null,
  }

  test.each([
    [
      'preToolUse',
      { tool_name: 'Shell', tool_input: { command: 'ls', cwd: '' }, tool_use_id: 'tool-1' },
      { tool: 'Shell', input: { command: 'ls', cwd: '' }, callId: 'tool-1' },
    ],
    [
      'beforeShellExecution',
      { command: 'ls', cwd: '/work/app', sandbox: false },
      { tool: 'Shell', input: { command: 'ls' }, cwd: '/work/app' },
    ],
    [
      'beforeReadFile',
      { file_path: '/work/.env', content: 'KEY=1' },
      { tool: 'Read', input: { file_path: '/work/.env' } },
    ],
    [
      'beforeMCPExecution',
      { tool_name: 'query', tool_input: '{"sql":"select 1"}', url: 'https://mcp.example.com/mcp?key=1' },
      {
        tool: 'MCP:query',
        input: { sql: 'select 1', mcp_url: 'https://mcp.example.com/mcp?key=1' },
        mcpServer: 'mcp.example.com',
      },
    ],
  ])('a call is read from %s', (hook_event_name, fields, expected) => {
    expect(readCall('cursor', { ...every, hook_event_name, ...fields })).toEqual({ ...call, ...expected })
  })

  test('calls of one tool at two MCP servers differ in their input', () => {
    const inputs = ['npx one', 'npx two'].map((command) =>
      readCall('cursor', {
        ...every,
        hook_event_name: 'beforeMCPExecution',
        tool_name: 'delete',
        tool_input: '{"mcp_command":"npx one"}',
        command,
      }),
    )
    expect(inputs).toMatchObject([
      { input: { mcp_command: 'npx one' } },
      { input: { mcp_command: 'npx two' } },
    ])
  })

  test('a byte order mark before the body does not matter', () => {
    const body = JSON.stringify({ ...every, hook_event_name: 'beforeShellExecution', command: 'ls' })
    expect(readCall('cursor', `\u{feff}${body}`)).toMatchObject({ tool: 'Shell' })
  })
})

describe('Copilot', () => {
  const camel = { sessionId: 'session-1', timestamp: 1_790_000_000_000, cwd: '/work', toolName: 'bash' }
  const call = { ...claudeCall, runner: 'copilot', callId: null, tool: 'bash', input: { command: 'ls' } }

  test('camelCase events carry the arguments as JSON text or as an object', () => {
    expect(readCall('copilot', { ...camel, toolArgs: '{"command":"ls"}' })).toEqual(call)
    expect(readCall('copilot', { ...camel, toolArgs: { command: 'ls' } })).toEqual(call)
  })

  test('PascalCase events have the form of Claude Code, with an id of the call only in VS Code', () => {
    const { tool_use_id: _none, ...body } = claudeBody
    expect(readCall('copilot', body)).toEqual({ ...claudeCall, runner: 'copilot', callId: null })
    expect(readCall('copilot', claudeBody)).toEqual({ ...claudeCall, runner: 'copilot' })
  })

  test('a report of a result, which has no name of its event, is no call', () => {
    const body = { ...camel, toolArgs: '{}', toolResult: { resultType: 'success' } }
    expect(readCall('copilot', body)).toEqual({ problem: expect.stringContaining('toolResult') })
  })

  test('arguments that are text but not JSON are a problem', () => {
    expect(readCall('copilot', { ...camel, toolArgs: 'ls' })).toEqual({
      problem: "The field toolArgs of the hook's body must be JSON.",
    })
  })
})

test('an empty body is a problem in words of the gate', () => {
  expect(readCall('claude', {})).toEqual({
    problem: expect.stringMatching(/^The field \w+ of the hook's body is required\.$/),
  })
})

test('OpenCode: a call is read from what the plugin sends', () => {
  const body = {
    hook: 'tool.execute.before',
    sessionID: 'ses_1',
    callID: 'call_1',
    tool: 'bash',
    args: { command: 'ls' },
    cwd: '/work',
  }
  expect(readCall('opencode', body)).toEqual({
    ...claudeCall,
    runner: 'opencode',
    session: 'ses_1',
    callId: 'call_1',
    tool: 'bash',
    input: { command: 'ls' },
  })
})

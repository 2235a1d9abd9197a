import { expect, test } from '@jest/globals'
import type { Runner } from '../../src/gate/runner-calls/tool-call.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'
import { testRows } from '../support/rows.ts'

const claudeBody = {
  session_id: 's',
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_response: { stdout: '' },
  tool_use_id: 'c',
}
const geminiBody = { ...claudeBody, hook_event_name: 'AfterTool', tool_name: 'run_shell_command' }
const cursorBody = { conversation_id: 's', hook_event_name: 'afterShellExecution', command: 'ls', output: '' }
const copilotBody = { sessionId: 's', toolName: 'bash', toolArgs: '{"command":"ls"}' }
const opencodeBody = {
  hook: 'tool.execute.after',
  sessionID: 's',
  callID: 'c',
  tool: 'bash',
  args: { command: 'ls' },
}

const ran = { session: 's', callId: 'c', tool: 'Bash', input: { command: 'ls' }, outcome: 'ran' }
const failed = { ...ran, outcome: 'failed' }
const unnamed = { callId: null }

testRows<[Runner, string, object, object]>([
  ['claude', 'PostToolUse', claudeBody, ran],
  [
    'claude',
    'PostToolUseFailure',
    { ...claudeBody, hook_event_name: 'PostToolUseFailure', error: 'Exit code 1' },
    failed,
  ],
  ['codex', 'PostToolUse', { ...claudeBody, tool_response: 'text' }, ran],
  ['gemini', 'AfterTool', geminiBody, { ...ran, ...unnamed, tool: 'run_shell_command' }],
  [
    'gemini',
    'AfterTool with an error',
    { ...geminiBody, tool_response: { error: { message: 'no' } } },
    { ...failed, ...unnamed, tool: 'run_shell_command' },
  ],
  ['cursor', 'afterShellExecution', cursorBody, { ...ran, ...unnamed, tool: 'Shell' }],
  [
    'cursor',
    'afterMCPExecution',
    {
      conversation_id: 's',
      hook_event_name: 'afterMCPExecution',
      tool_name: 'q',
      tool_input: '{"a":1}',
      result_json: '',
    },
    { ...ran, ...unnamed, tool: 'MCP:q', input: { a: 1 } },
  ],
  [
    'cursor',
    'postToolUseFailure',
    { ...claudeBody, conversation_id: 's', hook_event_name: 'postToolUseFailure', failure_type: 'timeout' },
    failed,
  ],
  [
    'copilot',
    'postToolUse',
    { ...copilotBody, toolResult: { resultType: 'success' } },
    { ...ran, ...unnamed, tool: 'bash' },
  ],
  [
    'copilot',
    'postToolUse of a failure',
    { ...copilotBody, toolResult: { resultType: 'failure' } },
    { ...failed, ...unnamed, tool: 'bash' },
  ],
  ['copilot', 'postToolUseFailure', { ...copilotBody, error: 'no' }, { ...failed, ...unnamed, tool: 'bash' }],
  [
    'gemini',
    'AfterTool without an error',
    { ...geminiBody, tool_response: { llmContent: 'a' } },
    { ...ran, ...unnamed, tool: 'run_shell_command' },
  ],
  ['copilot', 'PostToolUse', claudeBody, ran],
  ['opencode', 'tool.execute.after', opencodeBody, { ...ran, tool: 'bash' }],
])('the outcome of each runner is read', (runner, _event, body, outcome) => {
  expect(runnerDialects[runner].readOutcome(body)).toEqual(outcome)
})

test('Cursor: an edit is reported without an input, because it has another form than before the call', () => {
  const body = { conversation_id: 's', hook_event_name: 'afterFileEdit', file_path: '/work/a', edits: [] }
  expect(runnerDialects.cursor.readOutcome(body)).toEqual({
    session: 's',
    callId: null,
    tool: 'Write',
    outcome: 'ran',
  })
})

import type { runnerDialects } from '../../runner-hooks/registry.ts'

type Runner = keyof typeof runnerDialects

/** What the hook of each runner sends: examples for the OpenAPI description. */

const claude = {
  session_id: '0d6e1f3a-7f0c-4a53-9a44-5f1d8b7a2c10',
  cwd: '/work/project',
  tool_name: 'Bash',
  tool_input: { command: 'rm -rf build' },
  tool_use_id: 'toolu_01',
}
const gemini = { session_id: 's-1', tool_name: 'run_shell_command', tool_input: { command: 'rm -rf build' } }
const cursor = { conversation_id: 'c-1', command: 'rm -rf build' }
const opencode = { tool: 'bash', sessionID: 's-1', callID: 'call-1', args: { command: 'rm -rf build' } }

/** Before a call. */
export const toolCallExamples: Record<Runner, object> = {
  claude: { ...claude, hook_event_name: 'PreToolUse' },
  codex: { ...claude, hook_event_name: 'PreToolUse', turn_id: '3' },
  gemini: { ...gemini, hook_event_name: 'BeforeTool', cwd: '/work/project' },
  cursor: { ...cursor, hook_event_name: 'beforeShellExecution', cwd: '/work/project' },
  copilot: { ...claude, hook_event_name: 'PreToolUse', tool_use_id: undefined },
  opencode: { ...opencode, hook: 'tool.execute.before', cwd: '/work/project' },
}

/** After it. */
export const outcomeExamples: Record<Runner, object> = {
  claude: { ...claude, hook_event_name: 'PostToolUse', tool_response: {} },
  codex: { ...claude, hook_event_name: 'PostToolUse', turn_id: '3' },
  gemini: { ...gemini, hook_event_name: 'AfterTool', tool_response: {} },
  cursor: { ...cursor, hook_event_name: 'afterShellExecution' },
  copilot: { ...claude, hook_event_name: 'PostToolUse', tool_use_id: undefined },
  opencode: { ...opencode, hook: 'tool.execute.after' },
}

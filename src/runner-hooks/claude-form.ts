import { z } from 'zod'
import type { Runner, ToolCall } from '../gate/runner-calls/tool-call.ts'
import type { Answer, Outcome, Problem } from './dialect.ts'
import { isProblem } from './dialect.ts'
import { Given, cwd, id, read, tool } from './fields.ts'
import { toolInput } from './input.ts'
import { mcpServerOf } from './mcp-server.ts'

// The form of Claude Code's hooks, which Codex and Copilot took over.

const call = {
  session_id: id,
  tool_name: tool,
  tool_input: toolInput,
  tool_use_id: id,
}

const Before = z.object({
  ...call,
  hook_event_name: z.literal('PreToolUse'),
  agent_id: id,
  cwd,
  mcp_server: z.union([id, z.object({ name: id }).transform(({ name }) => name)]),
})

const After = z.object({ ...call, hook_event_name: z.enum(['PostToolUse', 'PostToolUseFailure']) })

export function readClaudeCall(
  runner: Runner,
  body: unknown,
  options: { version: string | null },
): ToolCall | Problem {
  const runnerVersion = options.version === null ? { version: null } : read(Given, options)
  const hook = read(Before, body)
  if (isProblem(hook)) return hook
  if (isProblem(runnerVersion)) return runnerVersion
  return {
    runner,
    runnerVersion: runnerVersion.version,
    session: hook.session_id,
    callId: hook.tool_use_id,
    agentId: hook.agent_id,
    tool: hook.tool_name,
    input: hook.tool_input,
    cwd: hook.cwd,
    mcpServer: hook.mcp_server ?? mcpServerOf(hook.tool_name, '__'),
  }
}

export function readClaudeOutcome(body: unknown): Outcome | Problem {
  const hook = read(After, body)
  if (isProblem(hook)) return hook
  return {
    session: hook.session_id,
    callId: hook.tool_use_id,
    tool: hook.tool_name,
    input: hook.tool_input,
    outcome: hook.hook_event_name === 'PostToolUse' ? 'ran' : 'failed',
  }
}

export function writeClaudeAnswer({ decision, reason }: Answer): object {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  }
}

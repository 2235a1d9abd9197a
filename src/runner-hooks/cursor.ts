import { z } from 'zod'
import type { Json } from '../gate/canonical.ts'
import type { Dialect } from './dialect.ts'
import { isProblem } from './dialect.ts'
import { Given, cwd, id, read, tool, version } from './fields.ts'
import { toolInput, toolInputOrText } from './input.ts'
import { withoutDefer } from './without-defer.ts'

const text = z.string().optional()

const every = {
  conversation_id: id,
  cursor_version: version,
  cwd,
  workspace_roots: z.array(cwd).nullish().catch(null),
}

const named = { ...every, tool_name: tool, tool_input: toolInputOrText, tool_use_id: id }
/** An MCP tool: its name alone does not say which server it is at. */
const mcp = { ...every, tool_name: tool, tool_input: toolInputOrText, url: text, command: text }
const Mcp = z.object(mcp)
const shell = { ...every, command: z.string() }

const Before = z.discriminatedUnion('hook_event_name', [
  z.object({ ...named, hook_event_name: z.literal('preToolUse') }),
  z.object({ ...shell, hook_event_name: z.literal('beforeShellExecution') }),
  z.object({ ...mcp, hook_event_name: z.literal('beforeMCPExecution') }),
  z.object({ ...every, hook_event_name: z.literal('beforeReadFile'), file_path: z.string() }),
])
type Before = z.output<typeof Before>

const After = z.discriminatedUnion('hook_event_name', [
  z.object({ ...named, hook_event_name: z.enum(['postToolUse', 'postToolUseFailure']) }),
  z.object({ ...shell, hook_event_name: z.literal('afterShellExecution') }),
  z.object({ ...mcp, hook_event_name: z.literal('afterMCPExecution') }),
  z.object({ ...every, hook_event_name: z.literal('afterFileEdit') }),
])
type After = z.output<typeof After>

const Input = z.object({ input: toolInput })

type Fields = Record<string, Json>
type Call = { tool: string; given: Fields; callId?: string | null; mcpServer?: string | null }

/**
 * Cursor. It asks with several events; those without a name of the tool get the name that `preToolUse` would have.
 * @source https://cursor.com/docs/agent/hooks
 */
export const cursor: Dialect = {
  readCall(body, options) {
    const given = read(Given, options)
    const hook = read(Before, body)
    if (isProblem(hook)) return hook
    if (isProblem(given)) return given
    const call = callOf(hook)
    const input = read(Input, { input: call.given })
    if (isProblem(input)) return input
    return {
      runner: 'cursor',
      runnerVersion: hook.cursor_version ?? given.version,
      session: hook.conversation_id,
      callId: call.callId ?? null,
      agentId: null,
      tool: call.tool,
      input: input.input,
      cwd: hook.cwd ?? hook.workspace_roots?.[0] ?? null,
      mcpServer: call.mcpServer ?? null,
    }
  },
  readOutcome(body) {
    const hook = read(After, body)
    if (isProblem(hook)) return hook
    const call = outcomeOf(hook)
    const input = read(Input, { input: call.given })
    if (isProblem(input)) return input
    return {
      session: hook.conversation_id,
      callId: call.callId ?? null,
      tool: call.tool,
      ...(hook.hook_event_name !== 'afterFileEdit' && { input: input.input }),
      outcome: hook.hook_event_name === 'postToolUseFailure' ? 'failed' : 'ran',
    }
  },
  writeAnswer(answer) {
    const { decision, reason } = withoutDefer(answer)
    return { permission: decision, user_message: reason, agent_message: reason }
  },
}

function callOf(hook: Before): Call {
  switch (hook.hook_event_name) {
    case 'preToolUse':
      return { tool: hook.tool_name, given: hook.tool_input, callId: hook.tool_use_id }
    case 'beforeShellExecution':
      return { tool: 'Shell', given: { command: hook.command } }
    case 'beforeMCPExecution':
      return mcpCall(hook)
    case 'beforeReadFile':
      return { tool: 'Read', given: { file_path: hook.file_path } }
  }
}

function outcomeOf(hook: After): Call {
  switch (hook.hook_event_name) {
    case 'postToolUse':
    case 'postToolUseFailure':
      return { tool: hook.tool_name, given: hook.tool_input, callId: hook.tool_use_id }
    case 'afterShellExecution':
      return { tool: 'Shell', given: { command: hook.command } }
    case 'afterMCPExecution':
      return mcpCall(hook)
    case 'afterFileEdit':
      return { tool: 'Write', given: {} }
  }
}

/** How the server is reached is part of the input, so that a consent for one server is none for another. */
function mcpCall(hook: z.output<typeof Mcp>): Call {
  return {
    tool: hook.tool_name.startsWith('MCP:') ? hook.tool_name : `MCP:${hook.tool_name}`,
    given: {
      ...hook.tool_input,
      ...(hook.url !== undefined && { mcp_url: hook.url }),
      ...(hook.command !== undefined && { mcp_command: hook.command }),
    },
    mcpServer: hook.url && URL.canParse(hook.url) ? new URL(hook.url).host : null,
  }
}

import { z } from 'zod'
import type { Dialect } from './dialect.ts'
import { isProblem } from './dialect.ts'
import { Given, cwd, id, read, tool } from './fields.ts'
import { toolInput } from './input.ts'
import { mcpServerOf } from './mcp-server.ts'
import { withoutDefer } from './without-defer.ts'

const call = { session_id: id, tool_name: tool, tool_input: toolInput }

const Before = z.object({
  ...call,
  hook_event_name: z.literal('BeforeTool'),
  cwd,
  mcp_context: z.object({ server_name: id }).nullish(),
})

const After = z.object({
  ...call,
  hook_event_name: z.literal('AfterTool'),
  tool_response: z.object({ error: z.unknown().optional() }).nullish().catch(null),
})

/**
 * Gemini CLI. It sends no id of the call.
 * @source https://geminicli.com/docs/hooks/reference
 */
export const gemini: Dialect = {
  readCall(body, options) {
    const given = read(Given, options)
    const hook = read(Before, body)
    if (isProblem(hook)) return hook
    if (isProblem(given)) return given
    return {
      runner: 'gemini',
      runnerVersion: given.version,
      session: hook.session_id,
      callId: null,
      agentId: null,
      tool: hook.tool_name,
      input: hook.tool_input,
      cwd: hook.cwd,
      mcpServer: hook.mcp_context?.server_name ?? mcpServerOf(hook.tool_name, '_'),
    }
  },
  readOutcome(body) {
    const hook = read(After, body)
    if (isProblem(hook)) return hook
    return {
      session: hook.session_id,
      callId: null,
      tool: hook.tool_name,
      input: hook.tool_input,
      outcome: hook.tool_response?.error ? 'failed' : 'ran',
    }
  },
  writeAnswer: withoutDefer,
}

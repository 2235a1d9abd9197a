import { z } from 'zod'
import type { Dialect } from './dialect.ts'
import { isProblem } from './dialect.ts'
import { Given, cwd, id, read, tool } from './fields.ts'
import { toolInput } from './input.ts'
import { withoutDefer } from './without-defer.ts'

const call = { sessionID: id, callID: id, tool, args: toolInput }

const Before = z.object({ ...call, hook: z.literal('tool.execute.before'), cwd })
const After = z.object({ ...call, hook: z.literal('tool.execute.after') })

/**
 * OpenCode, as our plugin reports it: `{hook, tool, sessionID, callID, args, cwd}`. A tool that throws has no
 * `tool.execute.after`, so an outcome that is reported is one that ran.
 * @source https://opencode.ai/docs/plugins
 */
export const opencode: Dialect = {
  readCall(body, options) {
    const given = read(Given, options)
    const hook = read(Before, body)
    if (isProblem(hook)) return hook
    if (isProblem(given)) return given
    return {
      runner: 'opencode',
      runnerVersion: given.version,
      session: hook.sessionID,
      callId: hook.callID,
      agentId: null,
      tool: hook.tool,
      input: hook.args,
      cwd: hook.cwd,
      // Its names of MCP tools, `server_tool`, do not tell them from its own tools.
      mcpServer: null,
    }
  },
  readOutcome(body) {
    const hook = read(After, body)
    if (isProblem(hook)) return hook
    return { session: hook.sessionID, callId: hook.callID, tool: hook.tool, input: hook.args, outcome: 'ran' }
  },
  writeAnswer: withoutDefer,
}

import { z } from 'zod'
import { exactJsonOrUndefined } from '../gate/json/exact-json.ts'
import { readClaudeCall, readClaudeOutcome, writeClaudeAnswer } from './claude-form.ts'
import type { Dialect } from './dialect.ts'
import { isProblem } from './dialect.ts'
import { Given, cwd, id, read, tool } from './fields.ts'
import { toolInputOrText } from './input.ts'
import { withoutDefer } from './without-defer.ts'

// Under event names in camelCase the body has no name of the event, and the arguments may be JSON text.
const call = { sessionId: id, toolName: tool, toolArgs: toolInputOrText }
const Before = z.object({ ...call, cwd, toolResult: z.undefined('is of a call that was made').optional() })
const After = z.object({
  ...call,
  toolResult: z.object({ resultType: z.string() }).nullish().catch(null),
  error: z.unknown().optional(),
})

const isClaudeForm = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'hook_event_name' in body

/**
 * Copilot CLI, Copilot's cloud agent and VS Code. PascalCase event names give the form of Claude Code.
 * @source https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference
 */
export const copilot: Dialect = {
  readCall(sent, options) {
    const body = typeof sent === 'string' ? exactJsonOrUndefined(sent) : sent
    if (isClaudeForm(body)) return readClaudeCall('copilot', body, options)
    const given = read(Given, options)
    const hook = read(Before, body)
    if (isProblem(hook)) return hook
    if (isProblem(given)) return given
    return {
      runner: 'copilot',
      runnerVersion: given.version,
      session: hook.sessionId,
      callId: null,
      agentId: null,
      tool: hook.toolName,
      input: hook.toolArgs,
      cwd: hook.cwd,
      mcpServer: null,
    }
  },
  readOutcome(sent) {
    const body = typeof sent === 'string' ? exactJsonOrUndefined(sent) : sent
    if (isClaudeForm(body)) return readClaudeOutcome(body)
    const hook = read(After, body)
    if (isProblem(hook)) return hook
    const hasFailed =
      Boolean(hook.error) || (hook.toolResult ?? { resultType: 'success' }).resultType !== 'success'
    return {
      session: hook.sessionId,
      callId: null,
      tool: hook.toolName,
      input: hook.toolArgs,
      outcome: hasFailed ? 'failed' : 'ran',
    }
  },
  /** Both forms in one: which event asked is no part of the answer. */
  writeAnswer(answer) {
    const { decision, reason } = withoutDefer(answer)
    return {
      ...writeClaudeAnswer({ decision, reason }),
      permissionDecision: decision,
      permissionDecisionReason: reason,
    }
  },
}

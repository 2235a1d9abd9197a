import { reportToolOutcome } from '../../db/queries/runner/tool-calls.ts'
import type { Runner, ToolCall } from '../../gate/runner-calls/tool-call.ts'
import type { RunnerContext } from './runner-context.ts'
import { digestOf, toolCallRef } from './tool-call-view.ts'

/** What a runner reports of a tool call that it made. */
export interface ToolOutcome extends Pick<ToolCall, 'session' | 'callId' | 'tool'> {
  /** Absent where the runner reports another form than before the call. */
  input?: ToolCall['input']
  outcome: 'ran' | 'failed'
}

/**
 * Records whether a tool call that was allowed ran or failed.
 * @returns false where no such call waits for a report
 */
export function recordToolOutcome(
  { deps, account, keyId, keyHash }: RunnerContext,
  runner: Runner,
  { session, callId, tool, input = {}, outcome }: ToolOutcome,
): Promise<boolean> {
  const ref = toolCallRef(keyId, { runner, session, callId, tool, inputDigest: digestOf(input) })
  return reportToolOutcome(deps.db, { account, apiKey: keyHash, ref, outcome })
}

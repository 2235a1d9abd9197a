import { randomUUID } from 'node:crypto'
import { denial } from '../../gate/denial.ts'
import type { Runner, ToolCall } from '../../gate/runner-calls/tool-call.ts'
import { tierOf } from '../../gate/tier.ts'
import { runnerRulesOf } from '../policy/account-policy.ts'
import { keepsChanging, retryStale } from '../retry-stale.ts'
import { recordAnswer } from './record-answer.ts'
import type { RunnerAnswer } from './runner-answer.ts'
import { type RunnerContext, memberOfRunner } from './runner-context.ts'
import { digested } from './tool-call-view.ts'

/**
 * Denies a tool call that cannot be read, and records that it was refused.
 * @param problem  what is wrong with what the hook sent, as a sentence
 */
export function refuseUnreadable(
  context: RunnerContext,
  runner: Runner,
  problem: string,
): Promise<RunnerAnswer> {
  const call: ToolCall = {
    runner,
    runnerVersion: null,
    session: null,
    // Its own: two of them are not the same call.
    callId: randomUUID(),
    agentId: null,
    tool: 'unreadable',
    input: {},
    cwd: null,
    mcpServer: null,
  }
  return retryStale(
    async () => {
      const acting = await memberOfRunner(context)
      return recordAnswer(context, acting, {
        asked: digested(call, context),
        rules: runnerRulesOf(acting.facts),
        tier: tierOf(acting.member, acting.facts.now),
        verdict: {
          decision: 'deny',
          rule: null,
          note: '',
          effect: 'unknown',
          consent: null,
          neededTier: null,
          on: '',
        },
        denial: denial('call_unreadable', `The hook sent a tool call that the gate cannot read: ${problem}`),
      })
    },
    () => keepsChanging('The tool call was not allowed.'),
  )
}

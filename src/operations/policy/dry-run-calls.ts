import { setImmediate } from 'node:timers/promises'
import { type PastToolCallRow, pagePastToolCalls } from '../../db/queries/runner/past-tool-calls.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import type { Policy } from '../../gate/policy.ts'
import {
  type PastToolCall,
  type ToolCallDryRun,
  addToolCalls,
  noToolCalls,
} from '../../gate/runner-calls/dry-run.ts'
import { type Runner, type ToolCall, canaryTool, runnerKind } from '../../gate/runner-calls/tool-call.ts'
import type { PolicyDeps } from './policy-in-force.ts'

/** The newest tool calls; those that are decided at one go; and how long all of it takes. */
const dryRunToolCallsMax = 10_000
const dryRunToolCallsPerPage = 250
const dryRunToolCallsAtOnce = 5
const dryRunToolCallsMs = 5_000

/** The dry run of a policy on past tool calls. `isCut`: only the newest were included. */
export type ReviewedCalls = ToolCallDryRun & { isCut: boolean }

/**
 * Decides the tool calls of the last days by two policies.
 * @returns null where both have the same rules about tool calls
 */
export async function dryRunCalls(
  { db }: Pick<PolicyDeps, 'db'>,
  account: string,
  { inForce, next, since }: { inForce: Policy; next: Policy; since: Date },
): Promise<ReviewedCalls | null> {
  if (rulesOf(inForce) === rulesOf(next)) return null
  let run = noToolCalls()
  let before: number | null = null
  const endsAt = performance.now() + dryRunToolCallsMs
  for (let read = 0; read < dryRunToolCallsMax;) {
    const limitRows = dryRunToolCallsPerPage
    const page: PastToolCallRow[] = await pagePastToolCalls(db, account, { since, before, limitRows })
    const calls = page.filter(isOwnDecision).map(toPast)
    for (let at = 0; at < calls.length; at += dryRunToolCallsAtOnce) {
      if (performance.now() > endsAt) return { ...run, isCut: true }
      run = addToolCalls({ now: inForce, next }, run, calls.slice(at, at + dryRunToolCallsAtOnce))
      // Many long patterns take long: other requests go on in between.
      await setImmediate()
    }
    if (page.length < limitRows) return { ...run, isCut: false }
    read += page.length
    before = page.at(-1)!.n
  }
  return { ...run, isCut: true }
}

const rulesOf = ({ runner, kinds }: Policy): string =>
  canonical({ runner, floor: kinds[runnerKind] ?? null } as unknown as Json)

/** Leaves out the test call of a hook, and the repeat of a call that its member approved: that call itself is there too. */
const isOwnDecision = ({ tool, decision, rule, is_by_mandate: byMandate }: PastToolCallRow): boolean =>
  tool !== canaryTool && (byMandate || !(decision === 'allow' && rule === null))

const toPast = ({ tool, tier, runner, call }: PastToolCallRow): PastToolCall => ({
  tool,
  tier,
  call: call && {
    ...toolCallOf({ runner: runner as Runner, tool, cwd: call.cwd, mcpServer: call.mcp_server }),
    input: call.input as ToolCall['input'],
  },
})

/** A tool call of which only what rules read is known. */
export const toolCallOf = (given: Pick<ToolCall, 'runner' | 'tool' | 'cwd' | 'mcpServer'>): ToolCall => ({
  ...given,
  input: {},
  runnerVersion: null,
  session: null,
  callId: null,
  agentId: null,
})

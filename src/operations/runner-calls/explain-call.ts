import { z } from 'zod'
import type { RequestedStrength } from '../../gate/consent.ts'
import type { DenialCode } from '../../gate/denial.ts'
import { exactJsonOrUndefined } from '../../gate/json/exact-json.ts'
import type { Policy } from '../../gate/policy.ts'
import { ruleOnCall } from '../../gate/runner-calls/rule-on-call.ts'
import { type Effect, type Runner, type ToolCall, runners } from '../../gate/runner-calls/tool-call.ts'
import type { Tier } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { text } from '../schemas.ts'
import { toolCallOf } from '../policy/dry-run-calls.ts'
import { type PolicyDeps, policyInForce } from '../policy/policy-in-force.ts'

/** An example tool call. Absent: an empty input, Claude Code, no folder, no MCP server. */
export interface CallQuestion {
  tool: string
  tier: Tier
  input?: ToolCall['input'] | undefined
  runner?: Runner | undefined
  cwd?: string | undefined
  mcpServer?: string | undefined
}

export interface ExplainedCall {
  /** false: denied. true: allowed, at once or by the consent. */
  allowed: boolean
  decision: 'allow' | 'deny' | 'consent'
  /** The rule that decided, in words. */
  rule: string
  /** The number of that rule, from 1; null: no rule matched. */
  rule_number: number | null
  effect: Effect
  /** The simple command or the path on which a rule that denies or asks matched. */
  matched_on?: string
  /** The consent that is required; null where none is. */
  consent: RequestedStrength | null
  /** Only a denied call has it. */
  denial_code?: DenialCode
  /** The tier that would suffice. */
  needed_tier?: Tier
}

/**
 * Explains what the policy in force decides about a tool call of an agent runner, and by which rule.
 * @throws GateError `not_found`
 */
export async function explainCall(
  deps: PolicyDeps,
  account: string,
  question: CallQuestion,
): Promise<ExplainedCall> {
  return explainCallByPolicy(await policyInForce(deps, account), question)
}

/** The same by any policy. Pure. */
export function explainCallByPolicy(policy: Policy, question: CallQuestion): ExplainedCall {
  const { tool, tier, input = {}, runner = 'claude', cwd = null, mcpServer = null } = question
  const ruling = ruleOnCall(policy, { ...toolCallOf({ runner, tool, cwd, mcpServer }), input }, tier)
  return {
    allowed: ruling.decision !== 'deny',
    decision: ruling.decision,
    rule: ruling.rule,
    rule_number: ruling.ruleNumber,
    effect: ruling.effect,
    consent: ruling.consent,
    ...(ruling.on === null ? {} : { matched_on: ruling.on }),
    ...(ruling.denialCode === null ? {} : { denial_code: ruling.denialCode }),
    ...(ruling.neededTier === null ? {} : { needed_tier: ruling.neededTier }),
  }
}

// The fields of the question, as text of a form or an option. Each message continues the name of the field.

export const toolName = text(limits.runnerToolCharsMax).refine((name) => name !== '', 'must not be empty')
export const runnerName = z.enum(runners, `must be one of ${runners.join(', ')}`)
export const folder = text(limits.runnerCwdCharsMax).refine(
  (path) => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path),
  'must be an absolute path',
)
export const mcpServerName = text(limits.runnerToolCharsMax)

/** A tool's input as JSON text. */
export const toolInput = z
  .string()
  .max(limits.runnerInputBytesMax, `must have at most ${limits.runnerInputBytesMax} characters`)
  .transform((given, context): ToolCall['input'] => {
    const input = exactJsonOrUndefined(given)
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
      return input as ToolCall['input']
    context.addIssue({ code: 'custom', message: 'must be a JSON object, such as {"command":"ls"}' })
    return z.NEVER
  })

import type { RequestedStrength } from '../consent.ts'
import type { DenialCode } from '../denial.ts'
import { type Policy, clearance } from '../policy.ts'
import { withRequirement } from '../requirement.ts'
import type { Tier } from '../tier.ts'
import { ruleText } from './rule-words.ts'
import { applyRules } from './rules.ts'
import { type Effect, type ToolCall, runnerKind } from './tool-call.ts'

/** What a policy decides about a tool call, and why. */
export interface CallRuling {
  decision: 'allow' | 'deny' | 'consent'
  /** The number of the rule, from 1; null: none matched. */
  ruleNumber: number | null
  /** The rule in words. */
  rule: string
  effect: Effect
  /** The simple command or the path on which a rule that restricts matched; null: the rule tells no such field, or allows. */
  on: string | null
  /** The consent that is required; null unless the decision is `consent`. */
  consent: RequestedStrength | null
  denialCode: DenialCode | null
  /** The tier that is required and missing. */
  neededTier: Tier | null
}

/** Decides a tool call by the rules and, where they require consent, by what the policy requires of every such call. Pure. */
export function ruleOnCall(policy: Policy, call: ToolCall, tier: Tier): CallRuling {
  const {
    decision,
    rule: ruleNumber,
    effect,
    consent,
    neededTier,
    note,
    on,
  } = applyRules(policy.runner, call, tier)
  const rule =
    ruleNumber === null ? noRule : `Rule ${ruleNumber}: ${ruleText(policy.runner.rules[ruleNumber - 1]!)}`
  const ruling = { ruleNumber, rule, effect, on: on || null, denialCode: null, neededTier: null }
  if (decision === 'deny') {
    const denialCode = neededTier === null ? 'runner_rule' : 'tier_insufficient'
    return { ...ruling, decision, consent: null, denialCode, neededTier }
  }
  if (decision === 'allow') return { ...ruling, decision, consent: null }
  const required = { tier: 'read_only' as const, consent: consent!, rule: note }
  const cleared = withRequirement(clearance(policy, { kind: runnerKind }, tier), required, tier)
  return cleared.allowed
    ? { ...ruling, decision, consent: cleared.consent as RequestedStrength }
    : {
        ...ruling,
        decision: 'deny',
        rule: `${rule}. ${cleared.rule}`,
        consent: null,
        denialCode: cleared.code,
        neededTier: cleared.needed,
      }
}

const noRule = 'No rule matches: the call requires consent chat'

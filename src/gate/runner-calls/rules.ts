import type { Json } from '../canonical.ts'
import type { RequestedStrength } from '../consent.ts'
import { reaches } from '../tier.ts'
import type { Tier } from '../tier.ts'
import { effectOf } from './effect.ts'
import { matchesGlob, patternMatches } from './glob.ts'
import { fieldsToAllow } from './open-patterns.ts'
import type { Effort } from './pattern-walk.ts'
import { type Restrictions, restrictionsOf } from './restrict.ts'
import type { Effect, ToolCall } from './tool-call.ts'

/** A text: `*` stands for any run of characters, `?` for one; or the start of the value; or one of several exact values. */
export type Pattern = string | { prefix: string } | { one_of: string[] }

/** What a rule can match beside the fields of the input. */
export const callFields = ['@effect', '@cwd', '@runner', '@mcp_server'] as const

export interface RunnerRule {
  /** A glob over the tool's name. */
  tool: string
  /** By field of the input (top level) or one of `callFields`. All must match. */
  match?: Record<string, Pattern>
  /** The least tier of the member. */
  tier?: Tier
  decision: 'allow' | 'deny' | 'consent'
  /** The strength of the consent; default `chat`. */
  consent?: RequestedStrength
  /** Shown with refusals, 1–200 characters. */
  note: string
}

/** The rule of the kind `runner_tool` in a policy. */
export interface RunnerRules {
  rules: RunnerRule[]
  /** Which calls become rows of the ledger. */
  record: 'refused' | 'all'
}

export interface ToolVerdict {
  decision: 'allow' | 'deny' | 'consent'
  /** The number of the rule that decided, from 1; null: none matched, so the call needs consent. */
  rule: number | null
  note: string
  effect: Effect
  /** The strength of the consent; null unless the decision is `consent`. */
  consent: RequestedStrength | null
  /** The tier that the rule requires and the member lacks: then the decision is `deny`. */
  neededTier: Tier | null
  /** The simple command or the path on which a rule that restricts matched; may be empty. */
  on: string
}

/** Longer values are not compared: they match every pattern of a rule that restricts, and none of a rule that allows. */
export const comparedCharsMax = 131_072
/** The effort for all patterns of all rules. Patterns beyond it are not compared. */
const effortMax = 2_500_000

/**
 * Decides a tool call by the first rule that matches it; a call that no rule matches needs consent. Pure.
 * @param tier  the member's tier now
 */
export function applyRules(rules: RunnerRules, call: ToolCall, tier: Tier): ToolVerdict {
  const effect = effectOf(call)
  const effort = { left: effortMax }
  const fields = {
    effect,
    mayAllow: fieldsToAllow(call),
    restrictions: restrictionsOf(call, effort),
    isTooLong: longFields(),
    effort,
  }
  for (const [index, rule] of rules.rules.entries()) {
    const lacksTier = rule.tier !== undefined && !reaches(tier, rule.tier)
    const on = matchOf(rule, call, { ...fields, restricts: lacksTier || rule.decision !== 'allow' })
    if (on === null) continue
    const base = { rule: index + 1, note: rule.note, effect, on }
    if (lacksTier) return { ...base, decision: 'deny', consent: null, neededTier: rule.tier! }
    const consent = rule.decision === 'consent' ? (rule.consent ?? 'chat') : null
    return { ...base, decision: rule.decision, consent, neededTier: null }
  }
  return { decision: 'consent', rule: null, note: noRule, effect, on: '', consent: 'chat', neededTier: null }
}

const noRule = 'No rule matches this call.'

interface CallFields {
  effect: Effect
  /** Whether the rule denies this member or asks them: then it matches whatever does the same. */
  restricts: boolean
  /** Whether a rule may allow a field by an open pattern. */
  mayAllow: (field: string, value: string) => boolean
  restrictions: Restrictions
  isTooLong: (field: string, value: Json) => boolean
  effort: Effort
}

/** @returns what the rule matched on beside the call itself, may be empty; null: it does not match */
function matchOf(rule: RunnerRule, call: ToolCall, fields: CallFields): string | null {
  const { effect, restricts, mayAllow, restrictions, isTooLong, effort } = fields
  if (call.tool.length > comparedCharsMax) return restricts ? '' : null
  if (!matchesGlob(rule.tool, call.tool)) return null
  let matched = ''
  for (const [field, pattern] of Object.entries(rule.match ?? {})) {
    const value = fieldOf(call, effect, field)
    if (value === undefined || value === null) return null
    if (restricts) {
      const on = isTooLong(field, value) ? '' : restrictions.matchOf(field, value, pattern)
      if (on === null) return null
      if (!field.startsWith('@')) matched ||= on
      continue
    }
    // A list or an object cannot be compared.
    if (typeof value === 'object' || isTooLong(field, value)) return null
    const text = String(value)
    if (!patternMatches(pattern, text, effort) || (isOpenPattern(pattern) && !mayAllow(field, text)))
      return null
  }
  return matched
}

/** Each field is measured once. */
function longFields(): CallFields['isTooLong'] {
  const known = new Map<string, boolean>()
  return (field, value) => {
    const text = () => (typeof value === 'object' ? JSON.stringify(value) : String(value))
    const isLong = known.get(field) ?? text().length > comparedCharsMax
    known.set(field, isLong)
    return isLong
  }
}

/** Whether a pattern tells only a part of the values that it matches. Pure. */
export const isOpenPattern = (pattern: Pattern): boolean =>
  typeof pattern === 'string' ? /[*?]/.test(pattern) : 'prefix' in pattern

function fieldOf(call: ToolCall, effect: Effect, field: string): Json | undefined {
  switch (field) {
    case '@effect':
      return effect
    case '@cwd':
      return call.cwd
    case '@runner':
      return call.runner
    case '@mcp_server':
      return call.mcpServer
    default:
      return Object.hasOwn(call.input, field) ? call.input[field] : undefined
  }
}

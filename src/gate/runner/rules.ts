import type { Json } from '../canonical.ts'
import { reaches } from '../tier.ts'
import type { Tier } from '../tier.ts'
import { effectOf } from './effect.ts'
import { matchesGlob } from './glob.ts'
import { fieldsToAllow } from './open-patterns.ts'
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
  consent?: 'chat' | 'page'
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
  consent: 'chat' | 'page' | null
  /** The tier that the rule requires and the member lacks: then the decision is `deny`. */
  neededTier: Tier | null
}

/** Longer values are not compared: they match every pattern of a rule that restricts, and none of a rule that allows. */
export const comparedCharsMax = 131_072

/**
 * Decides a tool call by the first rule that matches it; a call that no rule matches needs consent. Pure.
 * @param tier  the member's tier now
 */
export function applyRules(rules: RunnerRules, call: ToolCall, tier: Tier): ToolVerdict {
  const effect = effectOf(call)
  const fields = { effect, mayAllow: fieldsToAllow(call) }
  const index = rules.rules.findIndex((rule) => ruleMatches(rule, call, fields))
  const rule = rules.rules[index]
  if (!rule)
    return { decision: 'consent', rule: null, note: noRule, effect, consent: 'chat', neededTier: null }
  const base = { rule: index + 1, note: rule.note, effect }
  if (rule.tier && !reaches(tier, rule.tier))
    return { ...base, decision: 'deny', consent: null, neededTier: rule.tier }
  const consent = rule.decision === 'consent' ? (rule.consent ?? 'chat') : null
  return { ...base, decision: rule.decision, consent, neededTier: null }
}

const noRule = 'No rule matches this call.'

interface CallFields {
  effect: Effect
  /** Whether a rule may allow a field by an open pattern. */
  mayAllow: (field: string, value: string) => boolean
}

function ruleMatches(rule: RunnerRule, call: ToolCall, { effect, mayAllow }: CallFields): boolean {
  const allows = rule.decision === 'allow'
  if (call.tool.length > comparedCharsMax) return !allows
  if (!matchesGlob(rule.tool, call.tool)) return false
  return Object.entries(rule.match ?? {}).every(([field, pattern]) => {
    const value = fieldOf(call, effect, field)
    if (value === undefined || value === null) return false
    // A list or an object cannot be compared: it must not pass by a rule that restricts, and not by one that allows.
    if (typeof value === 'object' || String(value).length > comparedCharsMax) return !allows
    const text = String(value)
    return patternMatches(pattern, text) && (!allows || !isOpenPattern(pattern) || mayAllow(field, text))
  })
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

function patternMatches(pattern: Pattern, value: string): boolean {
  if (typeof pattern === 'string') return matchesGlob(pattern, value)
  if ('prefix' in pattern) return value.startsWith(pattern.prefix)
  return pattern.one_of.includes(value)
}

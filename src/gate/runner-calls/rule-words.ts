import { isOpenPattern } from './rules.ts'
import type { Pattern, RunnerRule, RunnerRules } from './rules.ts'
import { soundsLikeCommand } from './tools.ts'

/** The rules about tool calls in words, in the order in which they are tried. Pure. */
export function runnerRuleLines({ rules, record }: RunnerRules): string[] {
  return [
    record === 'all'
      ? 'tool calls: every call is recorded as an action'
      : 'tool calls: allowed calls are counted, not recorded as actions',
    ...rules.map((rule) => `tool calls: ${ruleText(rule)}`),
    ...(rules.length === 0 ? ['tool calls: without rules, every call requires consent chat'] : []),
  ]
}

/** One rule in one line: whom it concerns, what it decides, and its note. Pure. */
export const ruleText = (rule: RunnerRule): string =>
  `${[toolText(rule.tool), ...matchTexts(rule)].join(', ')}: ${decisionText(rule)} (${visible(rule.note)})`

/** A tool's name, or what stands for any. Pure. */
export const toolText = (tool: string): string => (tool === '*' ? 'any tool' : quoted(tool))

/** Each condition of a rule, such as `effect is "network"`. Pure. */
export const matchTexts = ({ match = {}, decision }: RunnerRule): string[] =>
  Object.entries(match).map(([field, pattern]) => {
    const isOneCommand = decision === 'allow' && isOpenPattern(pattern) && soundsLikeCommand.test(field)
    return `${fieldText(field)} ${isOneCommand ? 'is one command that ' : ''}${patternText(pattern)}`
  })

/** What a rule decides. Pure. */
export function decisionText({ decision, tier, consent = 'chat' }: RunnerRule): string {
  const from = tier === undefined ? '' : ` from ${tier}`
  return { allow: `allowed${from}`, deny: 'denied', consent: `consent ${consent}${from}` }[decision]
}

const callFieldTexts: Record<string, string> = {
  '@effect': 'effect',
  '@cwd': 'folder',
  '@runner': 'runner',
  '@mcp_server': 'MCP server',
}

const fieldText = (field: string): string => callFieldTexts[field] ?? `input ${quoted(field)}`

function patternText(pattern: Pattern): string {
  if (typeof pattern === 'string') return `${/[*?]/.test(pattern) ? 'is like' : 'is'} ${quoted(pattern)}`
  if ('prefix' in pattern) return `starts with ${quoted(pattern.prefix)}`
  return `is one of ${pattern.one_of.map(quoted).join(' ')}`
}

const quoted = (text: string): string => visible(JSON.stringify(text))

/** Writes out characters that cannot be seen: a rule must not look like another one. */
const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\ufe00-\ufe0f\u115f\u1160\u3164\uffa0]/gu,
    (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`,
  )

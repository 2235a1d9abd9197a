import { type Json, canonical } from '../canonical.ts'
import type { RunnerRules } from './rules.ts'

/**
 * Which rule asks about a call, as a text that changes with everything that the rule says; null where it names a command, a path or
 * another field of the input: an administrator who writes that wants each such call asked about. Pure.
 * @param rule  its number, from 1; null: no rule matched
 */
export function askingRule({ rules }: RunnerRules, rule: number | null): string | null {
  if (rule === null) return 'no rule'
  const { note: _, ...asks } = rules[rule - 1]!
  const isGeneral = Object.keys(asks.match ?? {}).every((field) => field.startsWith('@'))
  return isGeneral ? canonical(asks as unknown as Json) : null
}

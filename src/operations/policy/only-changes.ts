import { type Json, canonical } from '../../gate/canonical.ts'
import { type KindRule, type Policy, ruleOfKind, ruleWithLimits } from '../../gate/policy.ts'
import { defaultChannels } from '../../gate/reach.ts'
import type { PolicyDocument } from './policy-document.ts'

/** Removes everything from a document that the policy in force already contains. Pure. */
export function onlyChanges(inForce: Policy, document: PolicyDocument): PolicyDocument {
  const { version, kinds = {}, mandates = {}, ...rest } = document
  const isOther = (a: unknown, b: unknown) => canonical(a as Json) !== canonical(b as Json)
  const changed = Object.entries(kinds).filter(
    ([kind, rule]) => rule !== undefined && isOther(inFull(rule), inFull(ruleOfKind(inForce, kind))),
  )
  // Null says of a kind that it has no mandates, as does one that is absent.
  const ceilings = Object.entries(mandates).filter(
    ([kind, one]) => one !== undefined && isOther(one, inForce.mandates[kind] ?? null),
  )
  // Null says of a setting that it has no bound, as does one that is absent.
  const settings = Object.entries(rest).filter(
    ([name, value]) => value !== undefined && isOther(value, inForce[name as 'expires_after_hours'] ?? null),
  )
  return {
    ...(version === undefined ? {} : { version }),
    ...Object.fromEntries(settings),
    ...(ceilings.length === 0 ? {} : { mandates: Object.fromEntries(ceilings) }),
    ...(changed.length === 0 ? {} : { kinds: Object.fromEntries(changed) }),
  }
}

// Writing out default channels or limits is not a change.
function inFull(rule: KindRule | undefined): unknown {
  if (!rule || 'bands' in rule) return rule ? ruleWithLimits(rule) : null
  return { ...rule, channels: rule.channels ?? defaultChannels }
}

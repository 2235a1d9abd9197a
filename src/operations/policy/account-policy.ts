import type { ActionKind } from '../../actions/kind.ts'
import type { Facts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { type KindRule, type Policy, defaultPolicy } from '../../gate/policy.ts'
import type { RunnerRules } from '../../gate/runner-calls/rules.ts'

/** The policy in force for an account: its own rules over the defaults of every kind. It rules no retired kind. Pure. */
export function accountPolicy(
  facts: Pick<Facts, 'policy' | 'policyVersion'>,
  kinds: Iterable<Pick<ActionKind, 'kind' | 'defaultRule' | 'isRetired'>>,
): Policy {
  const rules = { ...defaultPolicy.kinds }
  const retired = new Set<string>()
  for (const { kind, defaultRule, isRetired } of kinds) {
    if (isRetired) retired.add(kind)
    else rules[kind] = defaultRule
  }
  if (!facts.policy) return { ...defaultPolicy, version: facts.policyVersion, kinds: rules }
  const own = Object.entries(facts.policy.kinds ?? {})
    .filter(([kind]) => !retired.has(kind))
    .map(([kind, rule]) => [kind, withConsent(rule, rules[kind])])
  return {
    ...defaultPolicy,
    ...facts.policy,
    version: facts.policyVersion,
    kinds: { ...rules, ...Object.fromEntries(own) },
  }
}

/** The policy in force. Rules of kinds that an account declared are complete only where `kinds` has them. Pure. */
export const policyOf = ({ kinds }: Pick<Deps, 'kinds'>, facts: Facts): Policy =>
  accountPolicy(facts, kinds.own.values())

/** The rules about tool calls of agent runners that `accountPolicy` has, without composing the rest of it. Pure. */
export const runnerRulesOf = ({ policy }: Pick<Facts, 'policy'>): RunnerRules =>
  policy?.runner ?? defaultPolicy.runner

/** A rule with a tier and no consent requires the consent that its kind requires by default. */
function withConsent(rule: KindRule, byDefault: KindRule | undefined): KindRule {
  if ('bands' in rule || (rule.consent as string | undefined) !== undefined) return rule
  const consent = byDefault && 'consent' in byDefault ? byDefault.consent : 'agent_attested'
  return { ...rule, consent }
}

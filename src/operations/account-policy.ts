import { type ActionKind } from '../actions/kind.ts'
import { type Facts } from '../db/queries/facts.ts'
import { type Policy, defaultPolicy } from '../gate/policy.ts'

/** The policy that holds for an account: what it set, over the defaults of every kind there is. Pure. */
export function accountPolicy(
  facts: Pick<Facts, 'policy' | 'policyVersion'>,
  kinds: Iterable<Pick<ActionKind, 'kind' | 'defaultRule'>>,
): Policy {
  const defaults = Object.fromEntries([...kinds].map((kind) => [kind.kind, kind.defaultRule]))
  return {
    ...defaultPolicy,
    ...facts.policy,
    version: facts.policyVersion,
    kinds: { ...defaultPolicy.kinds, ...defaults, ...facts.policy?.kinds },
  }
}

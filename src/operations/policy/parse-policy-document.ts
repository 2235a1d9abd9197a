import type { AccountKinds } from '../../actions/account-kinds.ts'
import { type KindRule, defaultPolicy } from '../../gate/policy.ts'
import { parseInput } from '../parse.ts'
import { type PolicyDocument, policyDocument } from './policy-document.ts'

/** @throws GateError `invalid` with the part that is not valid */
export function parsePolicyDocument(kinds: AccountKinds, input: unknown): PolicyDocument {
  return parseInput(policyDocument(defaultRules(kinds), kinds), input) as PolicyDocument
}

/** The default rule of every kind that is not retired. Pure. */
export function defaultRules(kinds: AccountKinds): Record<string, KindRule> {
  const inForce = [...kinds.values()].filter(({ isRetired }) => !isRetired)
  return {
    ...defaultPolicy.kinds,
    ...Object.fromEntries(inForce.map((kind) => [kind.kind, kind.defaultRule])),
  }
}

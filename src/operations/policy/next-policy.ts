import type { Policy } from '../../gate/policy.ts'
import { accountPolicy } from './account-policy.ts'
import { type PolicyDeps, policyFacts } from './policy-in-force.ts'
import { type PolicyEdit, documentToStore, policyVersionConflict } from './document-to-store.ts'

/**
 * The policy that would apply if a document were set now, and the one in force.
 * @throws GateError `invalid` where the required consent cannot be obtained, `conflict` where the document is based on
 * another version than the one in force, `not_found`
 */
export async function nextPolicy(
  deps: PolicyDeps,
  account: string,
  edit: PolicyEdit,
): Promise<{ inForce: Policy; next: Policy; now: Date }> {
  const facts = await policyFacts(deps, account)
  if (edit.version !== undefined && edit.version !== facts.policyVersion)
    throw policyVersionConflict(edit.version, facts.policyVersion)
  const kinds = await deps.kinds.of(account, facts.kindsVersion)
  const inForce = accountPolicy(facts, kinds.values())
  const policy = (await documentToStore(deps, account, { facts, edit })) as Policy
  const next = accountPolicy({ policy, policyVersion: facts.policyVersion + 1 }, kinds.values())
  return { inForce, next, now: facts.now }
}

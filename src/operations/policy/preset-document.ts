import { type Json, canonical } from '../../gate/canonical.ts'
import { type Policy, ruleOfKind } from '../../gate/policy.ts'
import { type Preset, presetRules } from '../../gate/preset.ts'
import { type PolicyDocument, floorsFor } from './policy-document.ts'
import { type PolicyDeps, policyInForce } from './policy-in-force.ts'
import { defaultRules } from './parse-policy-document.ts'

/**
 * The document of a preset for an account: only the kinds it changes.
 * @throws GateError `not_found`
 */
export async function presetDocument(
  deps: PolicyDeps,
  account: string,
  preset: Preset,
): Promise<{ inForce: Policy; document: PolicyDocument & { version: number } }> {
  const [inForce, kinds] = await Promise.all([policyInForce(deps, account), deps.kinds.now(account)])
  const rules = presetRules(preset, inForce, {
    defaults: defaultRules(kinds),
    canAsk: (kind) => floorsFor({ kind }).includes('page'),
  })
  const changed = Object.entries(rules).filter(
    ([kind, rule]) =>
      canonical(rule as unknown as Json) !== canonical(ruleOfKind(inForce, kind) as unknown as Json),
  )
  return { inForce, document: { version: inForce.version, kinds: Object.fromEntries(changed) } }
}

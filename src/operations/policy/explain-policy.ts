import { GateError } from '../../errors.ts'
import { ruleWords } from '../../gate/approvals/rule.ts'
import type { ConsentStrength } from '../../gate/consent.ts'
import type { DenialCode } from '../../gate/denial.ts'
import { type Policy, type Refusal, type Weight, clearance, ruleOfKind } from '../../gate/policy.ts'
import { limitLines } from '../../gate/policy-lines.ts'
import type { Tier } from '../../gate/tier.ts'
import { type EligibleApprovers, eligibleApprovers } from '../approvers/eligible.ts'
import { accountPolicy } from './account-policy.ts'
import { type PolicyDeps, policyFacts } from './policy-in-force.ts'

/**
 * Explains whether the policy in force allows an action for a tier, and by which rule.
 * @throws GateError `not_found`, `invalid` for a kind that the account does not have
 */
export async function explainPolicy(
  deps: PolicyDeps,
  account: string,
  question: Question,
): Promise<Explained> {
  const facts = await policyFacts(deps, account)
  const kinds = await deps.kinds.of(account, facts.kindsVersion)
  const policy = accountPolicy(facts, kinds.values())
  const isRetired = kinds.get(question.kind)?.isRetired
  if (!isRetired && !ruleOfKind(policy, question.kind)) throw unknownKind(policy, question.kind)
  return explainByPolicy(deps, account, policy, { ...question, isRetired })
}

function unknownKind({ kinds }: Policy, kind: string): GateError {
  const names = Object.keys(kinds).toSorted().join(', ')
  return new GateError('invalid', `Unknown kind ${kind}. Use one of: ${names}.`, { param: 'kind' })
}

/** `confirmedCents`: confirmed for the same subject in the last 24 hours. */
export type Question = Weight & { tier: Tier; confirmedCents?: number | undefined }

export interface Explained {
  allowed: boolean
  rule: string
  consent: ConsentStrength | null
  /** Who else must approve, in words: one line for each part of the rule. */
  approvals?: string[]
  /** How many people can approve now. */
  approvers?: EligibleApprovers
  /** Only a denied action has it. */
  denial_code?: DenialCode
  /** The tier that would suffice. */
  needed_tier?: Tier
  /** For kinds ruled by amount: the limits per 24 hours, one per line. */
  limits?: string[]
  /** How long a changed e-mail or Slack identity is not enough, where the member's own consent is required. */
  mailbox_settles_after_hours?: number
  /** How long a new passkey is not enough, where one is required, and whether it must be bound to its device. */
  passkey_settles_after_hours?: number
  passkey_device_bound?: boolean
}

/** The same by any policy. */
export async function explainByPolicy(
  deps: Pick<PolicyDeps, 'db'>,
  account: string,
  policy: Policy,
  { tier, confirmedCents = 0, ...weight }: Question,
): Promise<Explained> {
  const cleared = clearance(policy, weight, tier, { subjectCents: confirmedCents })
  const { allowed, rule, consent } = cleared
  const ruling = ruleOfKind(policy, weight.kind)
  const isBanded = ruling !== undefined && 'bands' in ruling
  const approvals = cleared.allowed ? cleared.approvals : undefined
  const asksMember = consent !== null && consent !== 'agent_attested'
  return {
    allowed,
    rule,
    consent,
    ...(approvals
      ? {
          approvals: ruleWords(approvals),
          approvers: await eligibleApprovers(deps, account, approvals, policy),
        }
      : {}),
    ...(cleared.allowed ? {} : explainRefusal(cleared)),
    ...(isBanded ? { limits: limitLines(weight.kind, ruling, policy) } : {}),
    ...(consent === 'passkey'
      ? {
          passkey_settles_after_hours: policy.passkey_settles_after_hours,
          passkey_device_bound: policy.passkey_device_bound,
        }
      : {}),
    ...(asksMember ? { mailbox_settles_after_hours: policy.mailbox_settles_after_hours } : {}),
  }
}

const explainRefusal = ({ code, needed }: Refusal): Pick<Explained, 'denial_code' | 'needed_tier'> => ({
  denial_code: code,
  ...(code === 'tier_insufficient' && needed !== null ? { needed_tier: needed } : {}),
})

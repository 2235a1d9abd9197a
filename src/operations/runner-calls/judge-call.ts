import type { Denial } from '../../gate/denial.ts'
import { denial } from '../../gate/denial.ts'
import { denialBy } from '../../gate/policy.ts'
import { type RunnerRules, type ToolVerdict, applyRules } from '../../gate/runner-calls/rules.ts'
import { isCanary } from '../../gate/runner-calls/tool-call.ts'
import { type Tier, tierOf } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import type { ActingMember } from '../members/actor.ts'
import { runnerRulesOf } from '../policy/account-policy.ts'
import type { DigestedCall } from './tool-call-view.ts'

/** A tool call and the verdict of the rules. */
export interface JudgedCall {
  asked: DigestedCall
  rules: RunnerRules
  tier: Tier
  verdict: ToolVerdict
  /** null where it is not denied. */
  denial: Denial | null
}

/** Decides a tool call by the rules of the policy, and by what no rule can allow. Pure. */
export function judgeCall({ facts, member }: ActingMember, asked: DigestedCall): JudgedCall {
  const { call } = asked
  const rules = runnerRulesOf(facts)
  const tier = tierOf(member, facts.now)
  const byRules = applyRules(rules, call, tier)
  const denied = (why: Denial): JudgedCall => ({
    asked,
    rules,
    tier,
    verdict: { ...byRules, decision: 'deny', consent: null },
    denial: why,
  })
  if (isCanary(call)) return denied(ofCanary)
  if (facts.isSuspended)
    return denied(
      denial('account_suspended', 'The account is suspended: no tool call is allowed until it is resumed.'),
    )
  if (byRules.neededTier !== null) {
    const rule = `Rule ${byRules.rule} requires \`${byRules.neededTier}\` for this ${call.tool} call`
    const refusal = {
      allowed: false,
      code: 'tier_insufficient',
      rule,
      needed: byRules.neededTier,
      consent: null,
    } as const
    return denied(denialBy(refusal, tier, member, facts.now))
  }
  if (byRules.decision === 'deny')
    return denied(
      denial('runner_rule', `Rule ${byRules.rule} denies this ${call.tool} call: ${byRules.note}`),
    )
  if (byRules.decision === 'consent' && asked.input === null) return denied(tooLongToShow)
  return { asked, rules, tier, verdict: byRules, denial: null }
}

const ofCanary = denial('canary', 'This is the test call of a hook. The gate always denies it.')

// A member consents to what they see: what does not fit on the card cannot be approved.
const tooLongToShow = denial(
  'call_unreadable',
  `This call requires consent, and its input is too long to be shown (at most ${limits.toolInputKeptCharsMax} characters). Split it into smaller calls.`,
)

import type { AccountKinds } from '../../actions/account-kinds.ts'
import type { ActionKind, Fields } from '../../actions/kind.ts'
import type { CeilingsRow } from '../../db/queries/accounts/authenticate.ts'
import type { FactVersions } from '../../db/queries/actions/decide.ts'
import type { Facts, MemberFacts } from '../../db/queries/members/facts.ts'
import type { Counted } from '../../db/queries/actions/velocity.ts'
import type { Deps } from '../../deps.ts'
import { type ApprovalRule, moreApprovals } from '../../gate/approvals/rule.ts'
import type { Denial } from '../../gate/denial.ts'
import { type Clearance, type Policy, type Refusal, clearance, denialBy } from '../../gate/policy.ts'
import { stricter, withRequirement } from '../../gate/requirement.ts'
import { withinCeilings } from '../../gate/ceilings.ts'
import { type Tier, tierOf } from '../../gate/tier.ts'
import { accountPolicy } from '../policy/account-policy.ts'
import { type ConfirmedBefore, spentToday } from './spent.ts'
import { ownCurrency } from '../../gate/money.ts'
import { afterProviderChange } from '../../gate/provider-change.ts'
import { providerName } from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'

export interface ClearanceRequest {
  account: string
  facts: Facts
  member: MemberFacts
  kind: ActionKind
  /** The frozen payload. */
  payload: Fields
  /** The API keys that proposed and confirm it. */
  keys?: (string | null | undefined)[]
  /** The ceilings of these keys. */
  ceilings?: (CeilingsRow | null | undefined)[]
  /** The row itself, where it is already confirmed. */
  confirmed?: ConfirmedBefore
}

/** The verdict on an action, and what it rests on. */
export type EvaluatedClearance = {
  versions: FactVersions
  policy: Policy
  tier: Tier
  /** The counts of confirmed actions that it rests on: the claim checks them again. */
  counted: Counted[]
  /** Who else must approve its amount alone, whatever was confirmed before. */
  alone: ApprovalRule | undefined
} & Verdict

type Verdict =
  | { cleared: Extract<Clearance, { allowed: true }>; denial: null }
  | { cleared: Refusal; denial: Denial }

/**
 * The account's policy and the member's tier, as of the facts. Pure.
 * @param kinds  absent: only the rules of the gate's own kinds are complete
 */
export function standingOf(
  deps: Pick<Deps, 'kinds'>,
  facts: Facts,
  member: MemberFacts,
  kinds: AccountKinds = deps.kinds.own,
): { policy: Policy; tier: Tier } {
  const policy = accountPolicy(facts, kinds.values())
  return { policy, tier: tierOf(member, facts.now) }
}

/** Decides by tier, policy and ceilings, and by what was confirmed in the last 24 hours where that is limited. */
export async function evaluateClearance(deps: Deps, asked: ClearanceRequest): Promise<EvaluatedClearance> {
  const { account, facts, member, kind, payload, keys = [], ceilings = [], confirmed } = asked
  const kinds = await deps.kinds.of(account, facts.kindsVersion)
  const { policy, tier } = standingOf(deps, facts, member, kinds)
  const weighed = { account, memberId: member.memberId, kind, payload, keys, ceilings, confirmed }
  const isRetired = kinds.get(kind.kind)?.isRetired
  const weight = { kind: kind.kind, isRetired, ...kind.weigh?.(payload) }
  const clearBy = async (judging: Policy) => {
    const { spent, ...counts } = await spentToday(deps, judging, facts.now, weighed)
    const alone = clearance(judging, weight, tier)
    return { ...counts, byRule: clearance(judging, weight, tier, spent), alone }
  }
  const byKind = await clearBy(policy)
  const own = kind.ruleOf?.(payload)
  const byOwn = own && (await clearBy({ ...policy, kinds: { ...policy.kinds, [kind.kind]: own } }))
  const byRules = byOwn ? stricter(byOwn.byRule, byKind.byRule) : byKind.byRule
  const { ofCeilings } = byKind
  const counted = [...byKind.counted, ...(byOwn?.counted ?? [])]
  const ruled = withRequirement(byRules, kind.requires?.(payload), tier)
  const byPolicy = guardedAfterChange(ruled, kind, facts)
  const cleared = withinCeilings(byPolicy, weight, ofCeilings, ownCurrency(policy))
  const restsOn = {
    versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
    policy,
    tier,
    counted,
    alone: moreApprovals(approvalsOf(byKind.alone), byOwn && approvalsOf(byOwn.alone)),
  }
  return cleared.allowed
    ? { ...restsOn, cleared, denial: null }
    : { ...restsOn, cleared, denial: denialBy(cleared, tier, member, facts.now) }
}

const approvalsOf = (cleared: Clearance): ApprovalRule | undefined =>
  cleared.allowed ? cleared.approvals : undefined

/** Raises the consent floor of an action whose provider account changed recently. Pure. */
function guardedAfterChange(
  cleared: Clearance,
  kind: Pick<ActionKind, 'movesMoneyAt'>,
  { stripeChange, now }: Pick<Facts, 'stripeChange' | 'now'>,
): Clearance {
  const change =
    kind.movesMoneyAt === 'stripe' && stripeChange
      ? { provider: providerName.stripe, ...stripeChange }
      : undefined
  return afterProviderChange(cleared, change, now, limits.providerChangeGuardMs)
}

import type { ActionKind, Fields, FrozenProposal, ProviderFact } from '../../actions/kind.ts'
import {
  type ConsentStrength,
  consentRoute,
  requiredConsent,
  unreachableForConsent,
} from '../../gate/consent.ts'
import type { ApprovalRule } from '../../gate/approvals/rule.ts'
import type { Denial } from '../../gate/denial.ts'
import { withoutPasskey } from '../../gate/passkey.ts'
import { type Clearance, type Policy, belowEveryBand, channelChoice, denialBy } from '../../gate/policy.ts'
import { channels } from '../../gate/reach.ts'
import type { Tier } from '../../gate/tier.ts'
import type { FrozenReach } from '../../ledger/recipient-sets.ts'
import { requireKeyNow } from '../authenticate.ts'
import { policyOf } from '../policy/account-policy.ts'
import { waysToAsk } from '../consent/ways-to-ask.ts'
import type { ActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { evaluateClearance, standingOf } from '../clearance/evaluate-clearance.ts'

export interface ToJudge {
  kind: ActionKind
  acting: ActingMember
  /** The payload as it was sent. */
  given: Fields
  freeze(): Promise<FrozenProposal>
}

/** The verdict on a proposal, and what is frozen with it. */
export interface JudgedProposal {
  policy: Policy
  tier: Tier
  /** The sentence of the policy that it was judged by. */
  rule: string
  /** The consent that it requires; null where it is denied. */
  consentRequired: ConsentStrength | null
  /** Who else must approve it; null, or absent: nobody. */
  approvals?: ApprovalRule | null
  /** null where it is not denied. */
  denial: Denial | null
  payload: Fields
  /** What the provider said about it, for the card. */
  facts: ProviderFact[]
  /** null where it reaches no member. */
  reach: FrozenReach | null
}

/** Freezes a proposal and decides by tier, policy and ceilings, and by whether its member could ever consent. */
export async function judgeProposal(context: CallContext, asked: ToJudge): Promise<JudgedProposal> {
  const { deps, account } = context
  const { kind, acting, given } = asked
  const { facts, member } = acting
  const { policy, tier } = standingOf(deps, facts, member, await deps.kinds.of(account, facts.kindsVersion))
  // The provider is not asked where the tier allows no amount at all.
  const hopeless = kind.freeze && belowEveryBand(policy, kind.kind, tier)
  const { payload, facts: provided } = hopeless ? { payload: given, facts: [] } : await asked.freeze()
  const request = {
    account,
    facts,
    member,
    kind,
    payload,
    keys: [context.keyId],
    ceilings: [context.ceilings],
  }
  const cleared = hopeless ?? (await evaluateClearance(deps, request)).cleared
  const denial = cleared.allowed
    ? await whyNotAskable(context, acting, kind, cleared)
    : denialBy(cleared, tier, member, facts.now)
  return {
    policy,
    tier,
    rule: cleared.rule,
    consentRequired: cleared.allowed && denial === null ? requiredConsent(cleared, kind) : null,
    approvals: (cleared.allowed && denial === null && cleared.approvals) || null,
    denial,
    payload,
    facts: provided,
    reach: await freezeReach(context, acting, kind, policy),
  }
}

/** Whom the action reaches, by the channels that the account has. */
async function freezeReach(
  context: CallContext,
  { facts }: ActingMember,
  kind: ActionKind,
  policy: Policy,
): Promise<FrozenReach | null> {
  const { deps, account } = context
  if (kind.reaches !== 'members') return null
  const providers = await deps.channelsOf(account, facts.integrationsVersion)
  const available = channels.filter((channel) => providers[channel] !== undefined)
  const choice = channelChoice(policy, kind.kind)
  const set = [account, facts.rosterVersion, choice, available, providers.teams?.credential] as const
  // Recipients that are not kept are stored.
  if (!deps.recipients.isKept(...set)) await requireKeyNow(context)
  return deps.recipients.freeze(...set)
}

/** Why a member who qualifies could never give the required consent; null where they can, or need not. */
async function whyNotAskable(
  { deps, account }: CallContext,
  { facts, member }: ActingMember,
  kind: ActionKind,
  { consent, rule }: Extract<Clearance, { allowed: true }>,
): Promise<Denial | null> {
  // Whether a client can show its user the card is known at the confirm.
  if (consent === 'agent_attested' || consent === 'client_attested' || kind.isDecidedByLink) return null
  const missing = withoutPasskey(rule, consent, member.passkeys, policyOf(deps, facts))
  if (missing) return missing
  const ways = await waysToAsk(deps, account, facts.integrationsVersion)
  return consentRoute(consent, member, ways) ? null : unreachableForConsent(rule, consent)
}

import { upstreamTool, type UpstreamToolPayload } from '../../actions/upstream-tool/kind.ts'
import { serverOf } from '../../actions/upstream-tool/server-of.ts'
import type { ActionKind, Fields } from '../../actions/kind.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type Denial, denial } from '../../gate/denial.ts'
import { clearance, denialBy } from '../../gate/policy.ts'
import { requiredBy, upstreamKind, weightOfCall, whyUnweighed } from '../../gate/declared/upstream-call.ts'
import { limits } from '../../limits.ts'
import type { ServedTool } from '../../upstreams/served-tool.ts'
import type { ActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { type JudgedProposal, judgeProposal } from '../proposals/judge-proposal.ts'

/** What is done with a call: it is passed on at once, or recorded as a proposal or a denial. */
export type Ruling = { isPassed: true; rule: string } | { isPassed: false; proposal: JudgedProposal }

export interface UpstreamCall {
  served: ServedTool
  arguments: { [name: string]: Json | undefined }
}

/** The payload of a call. Pure. */
export function payloadOf({ served, arguments: given }: UpstreamCall): UpstreamToolPayload {
  const { upstream, tool, hash, rule } = served
  return {
    upstream,
    tool,
    definition_hash: hash,
    arguments: given,
    ...weightOfCall(rule, given),
    ...(rule.rule === 'confirm'
      ? {
          requires: { ...requiredBy(rule) } as Fields,
          ...(rule.editable ? { editable: rule.editable } : {}),
          ...serverOf(served),
        }
      : {}),
  }
}

/** Decides a call by the state and the rule of its tool, by tier and policy. */
export async function judgeUpstreamCall(
  context: CallContext,
  acting: ActingMember,
  call: UpstreamCall,
): Promise<Ruling> {
  const { facts, member } = acting
  const { policy, tier } = standingOf(context.deps, facts, member)
  const payload = payloadOf(call) as Fields
  const denied = (why: Denial): Ruling => ({
    isPassed: false,
    proposal: {
      policy,
      tier,
      rule: why.sentence,
      consentRequired: null,
      denial: why,
      payload,
      facts: [],
      reach: null,
    },
  })
  const obstacle = facts.isSuspended ? suspended : obstacleOf(call)
  if (obstacle) return denied(obstacle)
  if (call.served.rule.rule === 'allow') {
    const weight = { kind: upstreamKind, ...upstreamTool.weigh!(payload as UpstreamToolPayload) }
    const cleared = clearance(policy, weight, tier)
    if (!cleared.allowed) return denied(denialBy(cleared, tier, member, facts.now))
    if (cleared.approvals) return denied(passesNothing)
    return { isPassed: true, rule: `The rule of ${call.served.name} passes calls on; ${cleared.rule}` }
  }
  const kind = upstreamTool as unknown as ActionKind
  const freeze = async () => ({ payload, facts: [] })
  return {
    isPassed: false,
    proposal: await judgeProposal(context, { kind, acting, given: payload, freeze }),
  }
}

const passesNothing = denial(
  'consent_too_weak',
  'The policy asks others to approve calls of tools, and the rule of this tool passes them on. Ask an administrator to set its rule to confirm.',
)

const suspended = denial(
  'account_suspended',
  'The account is suspended: no tool is called until it is resumed.',
)

/** Why no tier and no consent would suffice; undefined where nothing is in the way. */
function obstacleOf({ served, arguments: given }: UpstreamCall): Denial | undefined {
  const { name, upstream, tool, state, rule } = served
  if (state === 'unreviewed')
    return denial('tool_not_reviewed', `The tool ${name} is new: an administrator must review it first.`)
  if (state === 'quarantined')
    return denial(
      'tool_changed',
      `The MCP server ${upstream} changed its tool ${tool} after the review. No call is made until an administrator has reviewed it again.`,
    )
  if (rule.rule === 'deny') return denial('tool_denied', `The rule of the tool ${name} denies every call.`)
  if (rule.rule !== 'confirm') return undefined
  // A member consents to what they see: what does not fit on the card cannot be approved.
  if (canonical(given).length > limits.toolInputKeptCharsMax) return tooLongToShow
  return whyUnweighed(rule, given, limits.declaredSubjectCharsMax)
}

const tooLongToShow = denial(
  'call_unreadable',
  `This call requires consent, and its arguments are too long to be shown (at most ${limits.toolInputKeptCharsMax} characters). Split it into smaller calls.`,
)

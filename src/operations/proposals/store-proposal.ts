import { randomBytes } from 'node:crypto'
import type { Outcome } from '../../db/queries/actions/actions.ts'
import type { Proposal, ProposeOutcome } from '../../db/queries/actions/propose.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { noReach } from '../../gate/reach.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { type ActingMember, memberLabel } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import type { JudgedProposal } from './judge-proposal.ts'
import { logStep } from '../../temporal/action-log.ts'

/** What a proposal has besides its judgement, as it is stored. Absent: it has none; `ttl_ms`: as the policy says. */
type OwnFields = Pick<Proposal, 'uuid' | 'kind'> &
  Partial<
    Pick<
      Proposal,
      | 'kind_version'
      | 'rationale'
      | 'replaces'
      | 'input'
      | 'tool_call'
      | 'mandate_scope'
      | 'session'
      | 'key'
      | 'request'
    >
  > & { ttl_ms?: number | undefined }

/** Who proposes: an agent by its key, or a member in the console. */
export type Proposer =
  | Pick<CallContext, 'deps' | 'account' | 'source' | 'keyId' | 'keyHash'>
  | (Pick<CallContext, 'deps' | 'account'> & { source: 'console'; keyId: null; keyHash: null })

/** Writes the row of a proposal, proposed or denied, if what it was judged by still holds. */
export async function storeProposal(
  context: Proposer,
  { facts, member }: ActingMember,
  { tier, rule, policy, denial, reach, ...judged }: JudgedProposal,
  own: OwnFields,
): Promise<Outcome<ProposeOutcome>> {
  const { slack, email, unreachable, teams } = reach?.blastRadius ?? noReach
  const stored = await context.deps.proposals.record(context.account, {
    ...noOwn,
    ...own,
    event: eventId(own.uuid, 'proposed'),
    status: denial === null ? 'proposed' : 'denied',
    denial_reason: denial?.sentence ?? null,
    denial_code: denial?.code ?? null,
    denial_needs: denial?.needs ?? null,
    rule,
    member_id: member.memberId,
    member: memberLabel(member),
    member_version: member.version,
    curricula_version: facts.curriculaVersion,
    policy_version: facts.policyVersion,
    tier_at_request: tier,
    source: context.source,
    payload: canonical(judged.payload),
    salt: randomBytes(16),
    consent_required: judged.consentRequired,
    approval_rule: judged.approvals ? canonical(judged.approvals as unknown as Json) : null,
    facts: judged.facts.length === 0 ? null : canonical(judged.facts),
    reach_slack: slack,
    reach_email: email,
    reach_unreachable: unreachable,
    reach_teams: teams,
    recipients: denial === null ? (reach?.sha256 ?? null) : null,
    ttl_ms: own.ttl_ms ?? Math.round(policy.expires_after_hours * 3_600_000),
    open_max: policy.open_max_per_member,
    due_ms: limits.outboxDueMs,
    api_key: context.keyHash,
  })
  const { status, denial_code: code, consent_required: required } = stored.action
  if (stored.outcome === 'created')
    logStep(context.deps, stored.action, 'proposed', { status, code, required, key: context.keyId })
  return stored
}

const noOwn = {
  kind_version: null,
  rationale: null,
  replaces: null,
  input: null,
  tool_call: null,
  mandate_scope: null,
  session: null,
  key: null,
  request: null,
}

import { randomBytes } from 'node:crypto'
import type { Outcome } from '../../db/queries/actions/actions.ts'
import type { ToolCallToKeep } from '../../db/queries/runner/tool-consents.ts'
import type { ProposeOutcome } from '../../db/queries/actions/propose.ts'
import { canonical } from '../../gate/canonical.ts'
import { noReach } from '../../gate/reach.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import type { IdempotentRequest } from '../idempotency.ts'
import { type ActingMember, memberLabel } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import type { JudgedProposal } from './judge-proposal.ts'

export interface ProposalToStore extends JudgedProposal {
  /** The same at every try. */
  uuid: string
  kind: string
  /** The version of a declared kind. */
  kindVersion?: number | undefined
  acting: ActingMember
  /** How long it stays open. Absent: as long as the policy says. */
  ttlMs?: number | undefined
  idempotency: IdempotentRequest | null
  /** Why the agent asks for it, as the agent wrote it. */
  rationale?: string | undefined
  /** What a runner's tool call carries, and the call itself. */
  runner?: { input: string | null; toolCall: ToolCallToKeep } | undefined
  /** What the calls of a mandate have in common. */
  mandateScope?: Buffer | undefined
}

/** Writes the row of a proposal, proposed or denied, if what it was judged by still holds. */
export async function storeProposal(
  context: CallContext,
  proposal: ProposalToStore,
): Promise<Outcome<ProposeOutcome>> {
  const { uuid, kind, tier, rule, policy, denial, reach, idempotency } = proposal
  const { facts, member } = proposal.acting
  return context.deps.proposals.record(context.account, {
    uuid,
    eventId: eventId(uuid, 'proposed'),
    kind,
    kindVersion: proposal.kindVersion ?? null,
    status: denial === null ? 'proposed' : 'denied',
    denialReason: denial?.sentence ?? null,
    denialCode: denial?.code ?? null,
    denialNeeds: denial?.needs ?? null,
    rule,
    memberId: member.memberId,
    member: memberLabel(member),
    memberVersion: member.version,
    curriculaVersion: facts.curriculaVersion,
    policyVersion: facts.policyVersion,
    tier,
    source: context.source,
    payload: canonical(proposal.payload),
    salt: randomBytes(16),
    rationale: proposal.rationale ?? null,
    input: proposal.runner?.input ?? null,
    toolCall: proposal.runner?.toolCall ?? null,
    mandateScope: proposal.mandateScope ?? null,
    consentRequired: proposal.consentRequired,
    facts: proposal.facts.length === 0 ? null : canonical(proposal.facts),
    reach: reach?.blastRadius ?? noReach,
    recipients: denial === null ? (reach?.sha256 ?? null) : null,
    ttlMs: proposal.ttlMs ?? Math.round(policy.expires_after_hours * 3_600_000),
    openMax: policy.open_max_per_member,
    dueMs: limits.outboxDueMs,
    apiKey: context.keyHash,
    idempotency,
  })
}

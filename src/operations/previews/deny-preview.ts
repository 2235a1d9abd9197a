import { randomBytes, randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { propose } from '../../db/queries/actions/propose.ts'
import { canonical } from '../../gate/canonical.ts'
import type { Policy } from '../../gate/policy.ts'
import { noReach } from '../../gate/reach.ts'
import type { Tier } from '../../gate/tier.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { type ActingMember, memberLabel } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'

export interface DeniedStart {
  conversationId: string
  acting: ActingMember
  policy: Policy
  tier: Tier
  rule: string
  reason: string
}

/** Makes the row of a start that tier and policy do not allow. @returns undefined where the facts have moved */
export async function denyPreview(context: CallContext, denied: DeniedStart): Promise<ActionRow | undefined> {
  const { facts, member } = denied.acting
  const uuid = randomUUID()
  const payload = { operation: 'start', conversation_id: denied.conversationId }
  const { outcome, action } = await propose(context.deps.db, {
    account: context.account,
    uuid,
    eventId: eventId(uuid, 'proposed'),
    kind: 'preview',
    status: 'denied',
    denialReason: denied.reason,
    rule: denied.rule,
    memberId: member.memberId,
    member: memberLabel(member),
    memberVersion: member.version,
    curriculaVersion: facts.curriculaVersion,
    policyVersion: facts.policyVersion,
    tier: denied.tier,
    source: context.source,
    payload: canonical(payload),
    salt: randomBytes(16),
    reach: noReach,
    recipients: null,
    ttlMs: 0,
    openMax: denied.policy.open_max_per_member,
    dueMs: limits.outboxDueMs,
    apiKey: context.keyHash,
    idempotency: null,
  })
  return outcome === 'stale' ? undefined : action
}

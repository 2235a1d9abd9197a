import { randomBytes, randomUUID } from 'node:crypto'
import { type ActionRow } from '../db/queries/actions.ts'
import { propose } from '../db/queries/propose.ts'
import { canonical } from '../gate/canonical.ts'
import { type Policy } from '../gate/policy.ts'
import { noReach } from '../gate/reach.ts'
import { type Tier } from '../gate/tier.ts'
import { digestTail, eventId, payloadDigest } from '../ledger/digest.ts'
import { entryTail } from '../ledger/entry.ts'
import { limits } from '../limits.ts'
import { type ActingMember, memberLabel } from './actor.ts'
import { type CallContext } from './operation.ts'

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
  const salt = randomBytes(16)
  const payload = { operation: 'start', conversation_id: denied.conversationId }
  const label = memberLabel(member)
  const { outcome, action } = await propose(context.deps.db, {
    account: context.account,
    uuid,
    eventId: eventId(uuid, 'proposed'),
    kind: 'preview',
    status: 'denied',
    denialReason: denied.reason,
    memberId: member.memberId,
    member: label,
    memberVersion: member.version,
    curriculaVersion: facts.curriculaVersion,
    policyVersion: facts.policyVersion,
    tier: denied.tier,
    source: context.source,
    payload: canonical(payload),
    salt,
    reach: noReach,
    recipients: null,
    digestTail: digestTail({ kind: 'preview', member: label, payload, recipients: null }),
    entryTail: entryTail({
      kind: 'denied',
      actor: member.memberId,
      key: context.keyId,
      data: {
        kind: 'preview',
        tier: denied.tier,
        policy_version: denied.policy.version,
        rule: denied.rule,
        source: context.source,
        recipients: null,
      },
      payloadDigest: payloadDigest(salt, payload),
    }),
    ttlMs: 0,
    openMax: denied.policy.open_max_per_member,
    dueMs: limits.outboxDueMs,
    idempotency: null,
    keyId: context.keyId,
  })
  return outcome === 'stale' ? undefined : action
}

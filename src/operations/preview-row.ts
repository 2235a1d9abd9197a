import { randomBytes, randomUUID } from 'node:crypto'
import { type ExecutedRow } from '../db/queries/previews.ts'
import { canonical } from '../gate/canonical.ts'
import { type Policy } from '../gate/policy.ts'
import { type Tier } from '../gate/tier.ts'
import { eventId, payloadDigest } from '../ledger/digest.ts'
import { entryTail } from '../ledger/entry.ts'
import { type ActingMember, memberLabel } from './actor.ts'
import { type CallContext } from './operation.ts'

/** The row of a start or a stop, which is executed as it is made: what it did stands in the entry that makes it. */
export function previewRow(
  context: CallContext,
  asked: {
    operation: 'start' | 'stop'
    conversationId: string
    previewId: string
    acting: ActingMember
    policy: Policy
    tier: Tier
    rule: string
  },
): ExecutedRow {
  const { operation, conversationId, previewId, acting, policy, tier, rule } = asked
  const { member } = acting
  const uuid = randomUUID()
  const salt = randomBytes(16)
  const payload = { operation, conversation_id: conversationId, preview_id: previewId }
  const result = { outcome: 'done', preview_id: previewId }
  const kind = operation === 'start' ? 'preview_started' : 'preview_stopped'
  return {
    uuid,
    eventId: eventId(uuid, kind),
    entryTail: entryTail({
      kind,
      actor: member.memberId,
      key: context.keyId,
      data: {
        kind: 'preview',
        tier,
        policy_version: policy.version,
        rule,
        source: context.source,
        preview: previewId,
        conversation: conversationId,
        result,
      },
      payloadDigest: payloadDigest(salt, payload),
    }),
    memberId: member.memberId,
    member: memberLabel(member),
    tier,
    source: context.source,
    payload: canonical(payload),
    salt,
    result: canonical(result),
  }
}

import { randomBytes, randomUUID } from 'node:crypto'
import type { ExecutedRow } from '../../db/queries/previews/previews.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import type { Policy } from '../../gate/policy.ts'
import type { Tier } from '../../gate/tier.ts'
import { eventId } from '../../ledger/digest.ts'
import { type ActingMember, memberLabel } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'

/** The row of a start or a stop by a member. It is recorded as executed, with its result, by one entry. */
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
  const { acting, policy, ...about } = asked
  const { memberId } = acting.member
  return executedRow({
    ...about,
    memberId,
    member: memberLabel(acting.member),
    source: context.source,
    policyVersion: policy.version,
    result: {},
  })
}

/** The row of a stop by an administrator. It belongs to the member who started the preview; its entry names both. */
export function adminStopRow(stop: {
  conversationId: string
  previewId: string
  memberId: string
  member: string
  tier: Tier
}): ExecutedRow {
  return executedRow({
    ...stop,
    operation: 'stop',
    rule: 'an administrator may stop every preview of the account',
    source: 'console',
    policyVersion: null,
    result: { stopped_by: 'admin' },
  })
}

interface ToRecord {
  operation: 'start' | 'stop'
  conversationId: string
  previewId: string
  memberId: string
  member: string
  tier: Tier
  rule: string
  source: string
  policyVersion: number | null
  /** Further fields of its result. */
  result: Record<string, Json>
}

function executedRow(asked: ToRecord): ExecutedRow {
  const { operation, conversationId, previewId, memberId, member, tier, rule, policyVersion, source } = asked
  const uuid = randomUUID()
  const payload = { operation, conversation_id: conversationId, preview_id: previewId }
  const result = { outcome: 'done', preview_id: previewId, ...asked.result }
  const kind = operation === 'start' ? 'preview_started' : 'preview_stopped'
  return {
    uuid,
    eventId: eventId(uuid, kind),
    rule,
    policyVersion,
    memberId,
    member,
    tier,
    source,
    payload: canonical(payload),
    salt: randomBytes(16),
    result: canonical(result),
  }
}

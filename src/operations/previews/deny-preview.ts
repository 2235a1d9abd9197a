import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Denial } from '../../gate/denial.ts'
import type { ActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import type { JudgedProposal } from '../proposals/judge-proposal.ts'
import { storeProposal } from '../proposals/store-proposal.ts'

export type DeniedStart = Pick<JudgedProposal, 'policy' | 'tier' | 'rule'> & {
  conversationId: string
  acting: ActingMember
  denial: Denial
}

/** Records a start that tier and policy deny. */
export async function denyPreview(
  context: CallContext,
  { conversationId, acting, ...ruling }: DeniedStart,
): Promise<ActionRow | 'stale'> {
  const payload = { operation: 'start', conversation_id: conversationId }
  const judged = { ...ruling, consentRequired: null, payload, facts: [], reach: null }
  const { outcome, action } = await storeProposal(context, acting, judged, {
    uuid: randomUUID(),
    kind: 'preview',
    ttl_ms: 0,
  })
  return outcome === 'stale' ? 'stale' : action
}

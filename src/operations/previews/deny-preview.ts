import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Denial } from '../../gate/denial.ts'
import type { CallContext } from '../operation.ts'
import type { JudgedProposal } from '../proposals/judge-proposal.ts'
import { type ProposalToStore, storeProposal } from '../proposals/store-proposal.ts'

export type DeniedStart = Pick<JudgedProposal, 'policy' | 'tier' | 'rule'> & {
  conversationId: string
  acting: ProposalToStore['acting']
  denial: Denial
}

/** Records a start that tier and policy deny. */
export async function denyPreview(
  context: CallContext,
  { conversationId, ...judged }: DeniedStart,
): Promise<ActionRow | 'stale'> {
  const { outcome, action } = await storeProposal(context, {
    ...judged,
    uuid: randomUUID(),
    kind: 'preview',
    consentRequired: null,
    payload: { operation: 'start', conversation_id: conversationId },
    facts: [],
    reach: null,
    ttlMs: 0,
    idempotency: null,
  })
  return outcome === 'stale' ? 'stale' : action
}

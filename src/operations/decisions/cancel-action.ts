import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { viewAction } from '../actions/action-view.ts'
import { workflowInput } from '../../temporal/names.ts'
import { loadForDecision } from './load-for-decision.ts'
import { expiryEvent } from '../clearance/expiry.ts'
import { requireKeyNow } from '../authenticate.ts'
import { idempotencyOf, keyReused } from '../idempotency.ts'
import { defineOperation } from '../operation.ts'
import { ifDecisionLost } from '../actions/if-lost.ts'
import { refuseDecision } from '../clearance/refusal.ts'
import { ActionId, ActionRequest, Actor } from '../schemas.ts'
import { claimLogged } from '../clearance/claim-logged.ts'

/** Abandons a proposed action. Answers at once; its workflow is ended in the background. */
export const cancelAction = defineOperation({
  name: 'cancel_action',
  title: 'Cancel a proposed action',
  summary: 'Cancel a proposed action, after the member said no. Nothing executes.',
  http: {
    method: 'POST',
    path: '/api/v1/actions/{id}/cancel',
    integers: ['id'],
    success: { 200: 'Cancelled' },
  },
  tool: { group: 'gate', readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ id: ActionId, actor: Actor }),
  output: ActionRequest,
  errors: ['not_found', 'not_proposer', 'conflict', 'invalid'],
  powers: ['propose', 'confirm'],
  checksKey: true,
  isKeyed: true,
  ifLost: (context, { id }) => ifDecisionLost('this cancellation', context, id),
  async run(context, { id, actor }) {
    const { deps } = context
    const idempotency = idempotencyOf(context, 'cancel', { id, actor })
    const found = await loadForDecision(context, { decision: 'cancel', id, actor, idempotency })
    if (found.isReplay)
      return { status: 200, body: await viewAction(deps, found.row, context), isReplayed: true }
    const { row, member } = found
    const { outcome, action } = await claimLogged(deps, {
      account: context.account,
      id,
      decision: 'cancel',
      commandId: randomUUID(),
      eventId: eventId(row.uuid, 'cancelled'),
      ...expiryEvent(row.uuid),
      dueMs: limits.outboxDueMs,
      versions: null,
      consent: { strength: 'agent_attested', channel: context.source },
      credential: { apiKey: context.keyHash },
      idempotency,
    })
    switch (outcome) {
      case 'claimed':
      case 'replayed':
        // The claim finds a repeat before it checks the key.
        if (outcome === 'replayed') await requireKeyNow(context)
        deps.starter.closeInBackground(workflowInput(action))
        return {
          status: 200,
          body: await viewAction(deps, action, context),
          isReplayed: outcome === 'replayed',
        }
      case 'lost':
      case 'expired': {
        const reason = outcome === 'lost' ? 'not_open' : 'expired'
        throw await refuseDecision(context, action, { decision: 'cancel', reason, actor: member.memberId })
      }
      case 'reused':
        throw keyReused()
      case 'missing':
      case 'early':
      case 'approved':
      case 'suspended':
      case 'stale':
      case 'moved':
      case 'passkey_unknown':
      case 'passkey_used':
      case 'passkey_counter':
        throw new Error(`the claim of a cancellation ended as ${outcome}`)
    }
  },
})

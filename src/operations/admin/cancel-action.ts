import { randomUUID } from 'node:crypto'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { claimDecision } from '../../db/queries/actions/decide.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { workflowInput } from '../decisions/wait-for-execution.ts'
import { expiryEvent } from '../decisions/expiry.ts'
import type { AdminContext } from './context.ts'
import { requireAccount } from './require-entity.ts'

/**
 * Cancels an open proposal as an administrator. Whoever calls tells its workflow, now or by the relay.
 * @param reason  stands in the ledger
 * @throws GateError `not_found`, and `conflict` where it is decided already
 */
export async function cancelAsAdmin(context: AdminContext, id: number, reason: string): Promise<ActionRow> {
  const { db, account } = context
  const row = await readAction(db, account, id)
  if (!row) {
    await requireAccount(db, account)
    throw new GateError('not_found', `There is no action ${id} in ${account}.`)
  }
  const { outcome, action } = await claimDecision(db, {
    account,
    id,
    decision: 'admin_cancel',
    commandId: randomUUID(),
    eventId: randomUUID(),
    ...expiryEvent(row.uuid),
    dueMs: limits.outboxDueMs,
    versions: null,
    consent: null,
    reason,
    credential: context.session && { session: context.session },
    idempotency: null,
  })
  if (outcome === 'claimed') return action
  throw new GateError('conflict', `Action ${id} is ${stateLabel(action)}: it can no longer be cancelled.`)
}

/** The same, and has this process tell its workflow behind the answer. */
export async function cancelAndClose(
  deps: Deps,
  context: AdminContext,
  id: number,
  reason: string,
): Promise<void> {
  const action = await cancelAsAdmin(context, id, reason)
  deps.starter.closeInBackground(workflowInput(action))
}

const stateLabel = (row: ActionRow) => (row.status === 'proposed' ? 'being executed' : row.status)
